import type { Condition, Matcher } from '../../policy/config.ts'
import { without } from './order.ts'
import { count } from './show.ts'

/** What changed of a condition, in words that follow the name of its route. */
export function conditionChanges(before: Condition, after: Condition): readonly string[] {
  const [was, is] = [conjuncts(before), conjuncts(after)]
  const [gone, added] = [without(was.keys(), is.keys()), without(is.keys(), was.keys())]
  const [onlyGone, onlyAdded] = [phrasesOf(was.get(gone[0] ?? '')), phrasesOf(is.get(added[0] ?? ''))]
  if (gone.length === 1 && added.length === 1 && onlyGone && onlyAdded) return phraseChanges(onlyGone, onlyAdded)
  const [needed, needs] = [gone.join(', '), added.join(', ')]
  if (needed === '') return needs === '' ? [] : [`now also needs ${needs}`]
  return [needs === '' ? `no longer needs ${needed}` : `now needs ${needs}, no longer ${needed}`]
}

/** A condition in words; alike for those that mean the same in another order. */
export function conditionText(condition: Condition): string {
  switch (condition.is) {
    case 'all':
      return [...conjuncts(condition).keys()].join(', ')
    case 'any': {
      const texts = sorted(condition.of.flatMap(part => (part.is === 'any' ? part.of : [part])).map(conditionText))
      return texts.length === 1 ? texts.join('') : `any of (${texts.join('; ')})`
    }
    case 'not':
      return `not (${conditionText(condition.of)})`
    case 'signal':
      return matcherText(condition.matcher)
    case 'input_tokens':
      return [
        ...(condition.over === undefined ? [] : [`over ${count(condition.over)} tokens`]),
        ...(condition.under === undefined ? [] : [`under ${count(condition.under)} tokens`]),
      ].join(' and ')
    case 'has_tools':
      return condition.value ? 'tools' : 'no tools'
    case 'has_images':
      return condition.value ? 'images' : 'no images'
    case 'plan':
    case 'alias':
      return `${condition.is} ${sorted(condition.names).join(' or ')}`
    case 'hour':
      return `hour ${condition.from} to ${condition.to} in ${condition.zone}`
    case 'weekday':
      return `${sorted(condition.days).join(' or ')} in ${condition.zone}`
  }
}

/** What must hold together, by its text. */
function conjuncts(condition: Condition): ReadonlyMap<string, Condition> {
  if (condition.is !== 'all') return new Map([[conditionText(condition), condition]])
  const all = condition.of.flatMap(part => [...conjuncts(part)])
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

function matcherText(matcher: Matcher): string {
  switch (matcher.kind) {
    case 'mentions':
      return `a mention of ${quoted(folded(matcher.phrases))}`
    case 'matches':
      return `a match of /${matcher.pattern}/`
    case 'header':
      return `header ${matcher.header}: ${sorted(matcher.values).join(' or ')}`
  }
}

const phrasesOf = (condition: Condition | undefined): readonly string[] | undefined =>
  condition?.is === 'signal' && condition.matcher.kind === 'mentions' ? folded(condition.matcher.phrases) : undefined

function phraseChanges(before: readonly string[], after: readonly string[]): readonly string[] {
  const [gone, added] = [without(before, after), without(after, before)]
  return [
    ...(gone.length > 0 ? [`no longer looks for ${quoted(gone)}`] : []),
    ...(added.length > 0 ? [`now also looks for ${quoted(added)}`] : []),
  ]
}

/** Case and kind of blank mean nothing in a phrase. */
const folded = (phrases: readonly string[]): readonly string[] =>
  sorted(phrases.map(phrase => phrase.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ')))

const quoted = (phrases: readonly string[]): string => phrases.map(phrase => `"${phrase}"`).join(', ')

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort()
