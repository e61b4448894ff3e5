import {
  isLimitWindow,
  LIMIT_SCOPES,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
  MOST_DAYS,
  NAMED_WINDOWS,
} from '../../policy/limits/limit-rule.ts'
import { type Format, isRefusal } from './scalar.ts'
import { meant } from './suggest.ts'
import { readUnit } from './units.ts'

/** Why a text is no limit. */
export interface NotALimit {
  readonly problem: string
}

/**
 * Reads a limit as commands take it: `usd 5 per day`, `tokens 2M per 30d of key for svc-core`, `concurrent 3`.
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

type Part = 'per' | 'of' | 'for'
type Parts = Partial<Record<Part, string>>

function partsOf(words: readonly string[]): Parts | NotALimit {
  const parts: Parts = {}
  for (let at = 0; at < words.length; at += 2) {
    const [name = '', value] = [words[at], words[at + 1]]
    if (name !== 'per' && name !== 'of' && name !== 'for')
      return { problem: `\`${name}\` has no meaning here; write it like \`usd 5 per day of key for svc-core\`` }
    if (value === undefined) return { problem: `nothing follows \`${name}\`` }
    if (parts[name] !== undefined) return { problem: `\`${name}\` is written twice` }
    parts[name] = value
  }
  return parts
}

function ruleOf(measure: Measure, most: number, { per, of, for: model }: Parts): LimitRule | NotALimit {
  if ((per === undefined) !== (measure === 'concurrent')) {
    return measure === 'concurrent'
      ? { problem: 'concurrent requests have no window: leave `per` out' }
      : { problem: `a limit of ${measure} needs a window: \`${measure} … per day\`` }
  }
  if (per !== undefined && !isLimitWindow(per))
    return { problem: `\`${per}\` is not a window: ${NAMED_WINDOWS.join(', ')}, or days up to ${MOST_DAYS}d` }
  const scope = of === undefined ? undefined : LIMIT_SCOPES.find((each): each is LimitScope => each === of)
  if (of !== undefined && !scope) return { problem: `\`${of}\` cannot share a limit: ${LIMIT_SCOPES.join(', ')}` }
  return {
    measure,
    most,
    ...(per !== undefined && { per }),
    ...(scope && scope !== 'account' && { of: scope }),
    ...(model !== undefined && { model }),
  }
}

/** The window of a limit, as files have it. */
export const limitWindow: Format<LimitWindow> = {
  read: text => (isLimitWindow(text) ? text : undefined),
  rule: 'bad-window',
  expects: 'a window',
  hint: `write ${NAMED_WINDOWS.join(', ')}, or days such as 30d, up to ${MOST_DAYS}d`,
  fault: text => {
    const near = meant(text, NAMED_WINDOWS)
    return near === undefined ? undefined : `did you mean \`${near}\`?`
  },
}
