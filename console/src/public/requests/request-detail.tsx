import type { ErrorList } from '../../../../src/wire/errors/list.ts'
import type { OwnRequest } from '../../../../src/wire/own-request.ts'
import { Copy } from '../../shared/copy.tsx'
import { exactUsd, number } from '../../shared/fmt.ts'
import { Marked } from '../../shared/marked.tsx'
import { Time } from '../../shared/time/time.tsx'
import { Advice } from '../advice.tsx'
import * as text from '../texts/requests.tsx'

interface RequestDetailProps {
  readonly request: OwnRequest
  readonly docs: ErrorList | undefined
  readonly keyName: string
}

/** All that is known of a request: why it was refused, what to do, and what it was. */
export function RequestDetail({ request, docs, keyName }: RequestDetailProps) {
  const { id, at, message, code, type, from, outcome, status } = request
  const ofType = docs?.types.find(each => each.type === type)
  return (
    <div class="stack">
      {message !== null && (
        <p class="said">
          <bdi>{message}</bdi>
        </p>
      )}
      {status === 499 && <p>{text.leftLong}</p>}
      {outcome === 'failed' && (status ?? 0) < 499 && <p>{text.brokeOffLong}</p>}
      {ofType && message === null && (
        <p>
          <Marked text={ofType.meaning} />
        </p>
      )}
      <Advice code={code} type={type} docs={docs} />
      <dl class="terms facts">
        <div class="term">
          <dt>{text.time}</dt>
          <dd>
            <Time at={at} isExact />
          </dd>
        </div>
        {[...factsOf(request), [text.key, keyName] as const].map(([name, value]) => (
          <div key={name} class="term">
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        <div class="term">
          <dt>{text.id}</dt>
          <dd class="row">
            <code>{id}</code>
            <Copy value={id} what={text.id} quiet />
          </dd>
        </div>
      </dl>
      {from === 'ledger' && <p class="small muted">{text.ofLedger}</p>}
    </div>
  )
}

function factsOf(request: OwnRequest): readonly (readonly [name: string, value: string])[] {
  const { path, route, upstream, input_tokens, output_tokens, usd, estimated, tools, limit, ms } = request
  const { labels, session = null } = request
  const facts: readonly (readonly [string, string | null])[] = [
    [text.took, text.millis(number(ms))],
    [text.path, path],
    [text.route, route],
    [text.pool, upstream],
    [text.tokens, input_tokens === null ? null : text.inOut(number(input_tokens), number(output_tokens ?? 0))],
    [text.cost, usd === null ? null : `${exactUsd(usd)}${estimated ? ` ${text.estimated}` : ''}`],
    [text.tools, tools === null ? null : toolsText(tools)],
    [text.limit, limit],
    [text.labels, labels ? labelsText(labels) : null],
    [text.session, session],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
}

/** `project=web team=core` */
const labelsText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(each => each.join('='))
    .join(' ')

const toolsText = (tools: Readonly<Record<string, number>>): string =>
  Object.entries(tools)
    .map(([name, calls]) => (calls === 1 ? name : `${name} × ${calls}`))
    .join(', ')
