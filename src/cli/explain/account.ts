import { isKeyId } from '../../gateway/accounts/accounts.ts'
import { exitCodes } from '../../server/failure.ts'
import { painter, usesColour } from '../../server/log/terminal-text.ts'
import { type CaseKind, pathOf } from '../../simulate/endpoints.ts'
import type { ShownExplained } from '../../wire/admin/explained.ts'
import type { BodySent } from '../../wire/admin-api/call.ts'
import type { explainRequest } from '../../wire/admin-api/requests.ts'
import { dollars } from '../../wire/money.ts'
import { jsonText, oneLine } from '../../wire/printable.ts'
import { limitsTable } from '../kit/limits-table.ts'
import { withOperator } from '../kit/options.ts'
import { foldedText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { choiceTables } from './choice-table.ts'
import type { ExplainOptions } from './explain.ts'
import { bodyIn, countIn, headersIn, pathIn, refuseLonePath, wrong } from './options.ts'
import { denialText, isoText, remediesText, stepLines, textSteps } from './text.ts'

/** Prints what a request of an account would get now: as its gateway says, or its store where no gateway runs. */
export async function explainAccount(options: ExplainOptions): Promise<void> {
  const asked = askedIn(options)
  await withOperator(options, async operator => {
    const explained = await operator.explain(asked)
    const text = options.json ? `${jsonText(explained, 2)}\n` : explainedText(explained, usesColour(process.stdout))
    await writeOut([text])
    process.exitCode = options.exitCode && explained.verdict === 'deny' ? exitCodes.bad : exitCodes.fine
  })
}

/** The request as the gateway is asked about it. */
function askedIn(options: ExplainOptions): BodySent<typeof explainRequest> {
  const { account, key, address, model, maxTokens, stream, body, tool } = options
  refuseLonePath(options)
  if (key !== undefined && !isKeyId(key))
    throw wrong('--key takes the id of a key, key_…: its value would stay in the history of the shell')
  if (address !== undefined && key === undefined)
    throw wrong('--address needs --key: only keys are restricted to addresses')
  return {
    ...(account !== undefined && { account }),
    ...(key !== undefined && { key }),
    ...(address !== undefined && { address }),
    ...(options.header.length > 0 && { headers: headersIn(options.header) }),
    ...(body !== undefined && { path: pathIn(options.path), body: bodyIn(body) }),
    ...saidIn(options),
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { max_tokens: countIn('--max-tokens', maxTokens, 1) }),
    ...(stream !== undefined && { stream }),
    ...(tool.length > 0 && { tools: tool }),
  }
}

/** The text, and the endpoint of its kind; a length alone leaves the kind to the model. */
function saidIn({ chat, chatTokens, input, prompt }: ExplainOptions) {
  const said = (kind: CaseKind, text: string) => ({ path: pathOf[kind], text })
  if (chat !== undefined) return said('chat', chat)
  if (input !== undefined) return said('embedding', input)
  if (prompt !== undefined) return said('image', prompt)
  if (chatTokens === undefined) return {}
  return { prompt_tokens: countIn('--chat-tokens', chatTokens, 1) }
}

/** As people read it: the stages, the answer, what would flip it, every limit, and the price. */
function explainedText(explained: ShownExplained, colour: boolean): string {
  const paint = painter(colour)
  const { answer, stages, allowed_if, limits, notes, pools, at } = explained
  const parts = [
    foldedText(titleOf(explained)),
    stepLines(textSteps(stages), paint).join('\n'),
    answer
      ? paint('red', foldedText(denialText({ ...answer, body: Object(answer.body) })))
      : paint('green', foldedText(servedText(explained))),
    ...(allowed_if.length > 0 ? [remediesText(allowed_if, Date.parse(at))] : []),
    ...choiceTables(pools.flatMap(({ choice }) => choice ?? [])),
    ...(limits.length > 0 ? [limitsTable(limits)] : []),
    ...detailLines(explained),
    ...notes.map(note => foldedText(`▲ ${oneLine(note)}`, 2)),
  ]
  return `${parts.join('\n\n')}\n`
}

/** `POST /v1/chat/completions · model svc-pro · ada (acct_…) · key_… · 2026-11-21T10:00:00Z` */
function titleOf({ path, asked, account, key, at }: ShownExplained): string {
  const who = oneLine(`${account.label} (${account.account})`)
  const model = asked === null ? 'no model named' : `model ${oneLine(asked)}`
  return [`POST ${path}`, model, who, ...(key ? [key.id] : []), isoText(Date.parse(at))].join(' · ')
}

function servedText({ model, route, pools, max_tokens, held }: ShownExplained): string {
  const parts = [
    'served',
    model ?? '',
    route === null ? '' : `by ${route}`,
    pools.map(({ pool, state }) => (state === 'healthy' ? pool : `${pool} (${state})`)).join(', then '),
    max_tokens === null ? '' : `max_tokens ${max_tokens}`,
    held ? `reserves ${dollars(held.usd)} at most` : '',
  ]
  return parts.filter(Boolean).join(' · ')
}

/** The price, and the hosted tools. */
function detailLines({ held, tools }: ShownExplained): readonly string[] {
  const price =
    held &&
    `Price: ${dollars(held.input_usd_per_1m)} for 1M input tokens, ${dollars(held.output_usd_per_1m)} for 1M output tokens`
  const named = (isAllowed: boolean) => tools.filter(({ allowed }) => allowed === isAllowed).map(({ tool }) => tool)
  const [allowed, others] = [named(true), named(false)]
  const told = tools.length > 0 && [
    `Hosted tools: ${allowed.length > 0 ? allowed.join(', ') : 'none'}`,
    ...(others.length > 0 ? [`not in the plan: ${others.join(', ')}`] : []),
  ]
  return [...(price ? [foldedText(price)] : []), ...(told ? [foldedText(told.join('; '))] : [])]
}
