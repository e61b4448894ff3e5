import {
  idleSeconds,
  idleWindow,
  isIdle,
  isLimitScope,
  isLimitWindow,
  LIMIT_SCOPES,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
  MOST_DAYS,
  NAMED_WINDOWS,
  SCOPE_WORDS,
} from '../../policy/limits/rule.ts'
import { type Format, isRefusal } from './scalar.ts'
import { meant } from './suggest.ts'
import { readUnit } from './units.ts'

/** Why a text is no limit. */
export interface NotALimit {
  readonly problem: string
}

/**
 * Reads a limit as commands take it: `usd 5 per day`, `tokens 2M per 30d of key for svc-core`, `concurrent 3`,
 * `usd 5 idle 24h of session`.
 */
export function parseLimitRule(text: string): LimitRule | NotALimit {
  const [name = '', amount = '', ...rest] = text.trim().split(/\s+/)
  const measure = MEASURES.find(each => each === name)
  if (!measure) return { problem: `a limit cannot count \`${name}\`, only ${MEASURES.join(', ')}` }
  const most = readUnit({ kind: measure === 'usd' ? 'usd' : 'count', min: 1, max: Number.MAX_SAFE_INTEGER }, amount)
  if (isRefusal(most))
    return { problem: `\`${amount}\` ${most.says}${most.hint === undefined ? '' : `; ${most.hint}`}` }
  const parts = partsOf(rest)
  return 'problem' in parts ? parts : ruleOf(measure, most, parts)
}

type Part = 'per' | 'idle' | 'of' | 'for'
type Parts = { readonly [P in Part]?: string | undefined }

function partsOf(words: readonly string[]): Parts | NotALimit {
  const parts: Partial<Record<Part, string>> = {}
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value] = [words[at], words[at + 1]]
    if (name !== 'per' && name !== 'idle' && name !== 'of' && name !== 'for')
      return { problem: `\`${name}\` has no meaning here; write it like \`usd 5 per day of key for svc-core\`` }
    if (value === undefined) return { problem: `nothing follows \`${name}\`` }
    if (parts[name] !== undefined) return { problem: `\`${name}\` is written twice` }
    parts[name] = value
  }
  return parts
}

function ruleOf(measure: Measure, most: number, { idle, of, for: model, ...parts }: Parts): LimitRule | NotALimit {
  const problem = idleProblem({ idle, of, ...parts })
  if (problem !== undefined) return { problem }
  const per = idle === undefined ? parts.per : idleOf(idle)
  if ((per === undefined) !== (measure === 'concurrent')) {
    return measure === 'concurrent'
      ? { problem: 'concurrent requests have no window: leave `per` out' }
      : { problem: `a limit of ${measure} needs a window: \`${measure} … per day\`` }
  }
  if (per !== undefined && (!isLimitWindow(per) || isIdle(parts.per)))
    return { problem: `\`${per}\` is not a window: ${NAMED_WINDOWS.join(', ')}, or days up to ${MOST_DAYS}d` }
  const scope = of !== undefined && isLimitScope(of) ? of : undefined
  if (of !== undefined && !scope) return { problem: `\`${of}\` cannot share a limit: ${SCOPE_WORDS.join(', ')}` }
  return {
    measure,
    most,
    ...(per !== undefined && { per }),
    ...(scope && scope !== 'account' && { of: scope }),
    ...(model !== undefined && { model }),
  }
}

/** Sessions have no window but the time without a request that ends them, and nothing else has that. */
function idleProblem({ per, idle, of }: Omit<Parts, 'for'>): string | undefined {
  if (of === 'session' && (idle === undefined || per !== undefined))
    return 'a limit of sessions has no window, but ends without requests: `usd 5 idle 24h of session`'
  if (idle === undefined) return undefined
  if (of !== 'session') return 'only limits of sessions end by `idle`: add `of session`'
  return idleOf(idle) === undefined ? `\`${idle}\` is not an idle time: 1m to ${MOST_DAYS}d, such as 24h` : undefined
}

/** The window of a session that ends after a duration without a request. */
function idleOf(text: string): LimitWindow | undefined {
  const millis = readUnit({ kind: 'duration', min: 60_000, max: MOST_DAYS * 86_400_000 }, text)
  if (isRefusal(millis)) return undefined
  const window = idleWindow(Math.ceil(millis / 1000))
  return idleSeconds(window) === undefined ? undefined : window
}

/** Who shares a limit, as files have it. */
export const limitScope: Format<LimitScope> = {
  read: text => (isLimitScope(text) ? text : undefined),
  rule: 'bad-value',
  expects: SCOPE_WORDS.map(word => `\`${word}\``)
    .join(', ')
    .replace(/, ([^,]*)$/, ' or $1'),
  hint: `write ${SCOPE_WORDS.join(', ')}`,
  fault: text => {
    const near = meant(text, LIMIT_SCOPES)
    return near === undefined ? undefined : `did you mean \`${near}\`?`
  },
}

/** The window of a limit, as files have it. */
export const limitWindow: Format<LimitWindow> = {
  read: text => (isLimitWindow(text) && !isIdle(text) ? text : undefined),
  rule: 'bad-window',
  expects: 'a window',
  hint: `write ${NAMED_WINDOWS.join(', ')}, or days such as 30d, up to ${MOST_DAYS}d`,
  fault: text => {
    const near = meant(text, NAMED_WINDOWS)
    return near === undefined ? undefined : `did you mean \`${near}\`?`
  },
}
