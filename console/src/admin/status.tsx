import { State } from '../shared/state.tsx'
import type { ListedRequest } from './api/requests.ts'
import * as text from './texts/requests.tsx'

type Ended = Pick<ListedRequest, 'status' | 'outcome' | 'type' | 'code' | 'interrupted'>

/** How a request ended: its status, and what refused it. */
export const Status = ({ request }: { readonly request: Ended }) => (
  <State tone={toneOf(request)}>
    {request.status ?? text.outcomes[request.outcome ?? 'ok']}
    <span class="muted narrow"> {reasonOf(request)}</span>
  </State>
)

export const reasonOf = ({ status, interrupted, type, code }: Ended): string | undefined =>
  status === 499 ? 'client left' : (interrupted ?? type ?? code)

function toneOf({ status, outcome, interrupted }: Ended): 'ok' | 'warn' | 'bad' {
  if (status === null) return outcome === 'failed' ? 'bad' : 'ok'
  if (status >= 500 || interrupted !== undefined) return 'bad'
  return status >= 400 ? 'warn' : 'ok'
}
