import { may, who } from './api/who.ts'
import * as text from './texts/frame.tsx'

/** Why a page offers fewer changes than there are; nothing for those who may make all of them. */
export function RoleNote() {
  if (who.value.data === undefined || may('admin')) return null
  return <p class="small muted">{may('support') ? text.supportMay : text.viewerMay}</p>
}
