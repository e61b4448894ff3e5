import { useId } from 'preact/hooks'
import type { ErrorList } from '../../../../src/wire/errors/list.ts'
import type { OwnRequest } from '../../../../src/wire/own-request.ts'
import { exactUsd, number } from '../../shared/fmt.ts'
import { State } from '../../shared/state.tsx'
import { Time } from '../../shared/time/time.tsx'
import * as text from '../texts/requests.tsx'
import { RequestDetail } from './request-detail.tsx'

interface RequestRowProps {
  readonly request: OwnRequest
  readonly docs: ErrorList | undefined
  readonly keyName: string
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** One request on a line, and in place what became of it. */
export function RequestRow({ request, docs, keyName, isOpen, onToggle }: RequestRowProps) {
  const detail = useId()
  const { at, path, asked, model, input_tokens, output_tokens, usd, ms } = request
  return (
    <>
      <tr class="opens" onClick={onToggle}>
        <td>
          <button type="button" class="link time" data-row aria-expanded={isOpen} aria-controls={detail}>
            <Time at={at} />
          </button>
        </td>
        <td>
          <Status request={request} />
        </td>
        <td class="anywhere">
          <bdi>
            {(asked ?? model) ? <code>{asked ?? model}</code> : <span class="muted">{pathText(path ?? '')}</span>}
          </bdi>
          {asked !== null && model !== null && model !== asked && (
            <span class="muted">
              {' → '}
              <code>{model}</code>
            </span>
          )}
        </td>
        <td class="narrow anywhere muted">
          <bdi>{keyName}</bdi>
        </td>
        <td class="num narrow">
          {input_tokens === null ? '–' : `${number(input_tokens)} + ${number(output_tokens ?? 0)}`}
        </td>
        <td class="num narrow">{usd === null ? '–' : exactUsd(usd)}</td>
        <td class="num narrow">{number(ms)}</td>
      </tr>
      {isOpen && (
        <tr id={detail}>
          <td colSpan={7} class="detail">
            <RequestDetail request={request} docs={docs} keyName={keyName} />
          </td>
        </tr>
      )}
    </>
  )
}

/** How a request ended: its status, and what refused it. */
export const Status = ({ request: { status, outcome, type, code } }: { readonly request: OwnRequest }) => (
  <State tone={TONES[outcome]}>
    {status ?? text.served}
    {outcome === 'failed' && (status ?? 0) < 499 && ` ${text.brokeOff}`}
    {status === 499 && ` ${text.left}`}
    {status !== 499 && (type ?? code) !== null && <span class="muted"> {type ?? code}</span>}
  </State>
)

/** It may be broken where it has a slash. */
const pathText = (path: string) =>
  path
    .replace('/v1/', '')
    .split('/')
    .map((part, at) => (at === 0 ? part : [<wbr key={part} />, `/${part}`]))

const TONES = { ok: 'ok', refused: 'warn', failed: 'bad' } as const
