/** The pattern with stars that LiteLLM takes for a name: the longest that matches it. */
export function mostSpecific(patterns: Iterable<string>, name: string): string | undefined {
  let best: string | undefined
  for (const pattern of patterns)
    if (starsIn(pattern, name) && (best === undefined || lengthOf(pattern) > lengthOf(best))) best = pattern
  return best
}

/** What is asked of a backend for a name that a pattern matches: its stars are filled with what they stand for. */
export function filled(model: string, pattern: string, name: string): string {
  const stars = starsIn(pattern, name) ?? []
  const own = model.split('*').length - 1
  if (own === 0) return model
  // LiteLLM asks for the name itself where the pattern has more stars than the model.
  return stars.length > own ? name : stars.reduce((text, star) => text.replace('*', () => star), model)
}

/** What each star of a pattern stands for in a name, or undefined where it does not match. */
function starsIn(pattern: string, name: string): readonly string[] | undefined {
  const parts = pattern.split('*').map(part => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('(.*)')}$`, 's').exec(name)?.slice(1)
}

/** LiteLLM compares the lengths of regular expressions, where a star is `(.*)` and other special characters are escaped. */
const lengthOf = (pattern: string): number =>
  pattern.replaceAll('*', '****').replace(/[()[\]{}?+\-|^$\\.&~#\s]/g, '$&$&').length
