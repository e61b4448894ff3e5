import type { EndedRequest } from './api/requests.ts'

type Ended = Pick<EndedRequest, 'status' | 'type' | 'code' | 'interrupted'>

/** How a request ended: its status, and what refused it. */
export const Status = ({ request }: { readonly request: Ended }) => (
  <span class={`dot ${toneOf(request)}`}>
    {request.status}
    <span class="muted narrow"> {reasonOf(request)}</span>
  </span>
)

export const reasonOf = ({ status, interrupted, type, code }: Ended): string | undefined =>
  status === 499 ? 'client left' : (interrupted ?? type ?? code)

function toneOf({ status, interrupted }: Ended): 'ok' | 'warn' | 'bad' {
  if (status >= 500 || interrupted !== undefined) return 'bad'
  return status >= 400 ? 'warn' : 'ok'
}
