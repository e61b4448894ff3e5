import { RE2JS } from 're2js'
import { ImportRefused } from '../refused.ts'
import { remembered } from '../remembered.ts'

/** The pattern with stars that LiteLLM takes for a name: the longest that matches it. */
export function mostSpecific(patterns: Iterable<string>, name: string): string | undefined {
  let best: string | undefined
  for (const pattern of patterns)
    if (starsIn(pattern, name) && (best === undefined || lengthOf(pattern) > lengthOf(best))) best = pattern
  return best
}

/** The model asked of a backend for a name that a pattern matches: its stars are filled with what they stand for. */
export function filled(model: string, pattern: string, name: string): string {
  const stars = starsIn(pattern, name) ?? []
  const own = model.split('*').length - 1
  if (own === 0) return model
  // LiteLLM asks for the name itself where the pattern has more stars than the model.
  return stars.length > own ? name : stars.reduce((text, star) => text.replace('*', () => star), model)
}

/** The part of a name that each star of a pattern stands for, or undefined where it does not match. */
function starsIn(pattern: string, name: string): readonly string[] | undefined {
  const matcher = expressionOf(pattern).matcher(name)
  if (!matcher.matches()) return undefined
  return Array.from({ length: matcher.groupCount() }, (_, star) => matcher.group(star + 1) ?? '')
}

/** It searches in linear time: with the engine of Node a few stars would try every way to split a name. */
const expressionOf = remembered(1000, (pattern: string) =>
  RE2JS.compile(pattern.split('*').map(RE2JS.quote).join('(.*)'), RE2JS.DOTALL),
)

/** Gives the models of the groups that a pattern matches. Throws ImportRefused where there are too many of both to compare. */
export function matcherOf(groups: readonly (readonly [group: string, model: string])[]) {
  let patterns = 0
  return remembered(1000, (pattern: string): readonly string[] => {
    refuseTooMany(++patterns, groups.length)
    return groups.flatMap(([group, model]) => (starsIn(pattern, group) ? model : []))
  })
}

/** Each pattern is compared with each name. Throws ImportRefused where that would take minutes. */
export function refuseTooMany(patterns: number, names: number): void {
  if (patterns * names > MOST_COMPARED)
    throw new ImportRefused(`${patterns} patterns are too many with ${names} names of models: import the file in parts`)
}

const MOST_COMPARED = 1_000_000

/** LiteLLM compares the lengths of regular expressions, where a star is `(.*)` and other special characters are escaped. */
const lengthOf = (pattern: string): number =>
  pattern.replaceAll('*', '****').replace(/[()[\]{}?+\-|^$\\.&~#\s]/g, '$&$&').length
