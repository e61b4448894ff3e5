import { problemRecord } from '../wire/denial.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { readNothing } from './field.ts'
import { UNCACHED } from './keys.ts'

/** POST /admin/reload: takes the files as they are now, whole or not at all. */
export async function reloadConfig(app: App, call: HttpCall, by: string): Promise<void> {
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong)
  const reloaded = await app.reload(by)
  if (!reloaded.ok) return call.deny({ ...reloaded, code: 'RELOAD_REFUSED' })
  const { revision, previous, generation, changed, warnings } = reloaded
  call.json(200, { revision, previous, generation, changed, warnings: warnings.map(problemRecord) }, UNCACHED)
}
