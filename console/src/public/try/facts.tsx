import { Copy } from '../../shared/copy.tsx'
import { exactUsd, number } from '../../shared/fmt.ts'
import * as requestsText from '../texts/requests.tsx'
import * as text from '../texts/try.tsx'
import type { AnswerFacts } from './chat-stream.ts'

/** The facts of an answer: who gave it, how fast, and what it cost. */
export function Facts({ facts }: { readonly facts: AnswerFacts }) {
  const { pool, route, firstMs, totalMs, tokens, usd, requestId } = facts
  const known = [
    pool,
    route === undefined ? undefined : text.route(route),
    firstMs === undefined ? undefined : text.first(number(firstMs)),
    tokens && text.tokens(number(tokens.input), number(tokens.output)),
    usd === undefined ? undefined : exactUsd(usd),
    totalMs === undefined ? undefined : text.total(number(totalMs)),
  ].filter(each => each !== undefined)
  return (
    <div class="row small muted facts-line">
      {known.map(each => (
        <bdi key={each}>{each}</bdi>
      ))}
      {requestId !== undefined && (
        <span class="row">
          <code>{requestId}</code>
          <Copy value={requestId} what={requestsText.id} quiet />
        </span>
      )}
    </div>
  )
}
