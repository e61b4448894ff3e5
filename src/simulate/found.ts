import type { Matcher } from '../policy/config.ts'
import type { Step } from '../policy/decision.ts'
import { type Headers, signalsIn } from '../wire/openai/signals.ts'

/** Fewer phrases are shorter than what would be said instead. */
const FEW = 3

/** Steps that say what was found in a text, in place of all that was looked for. */
export const sayingWhatWasFound = (
  steps: readonly Step[],
  matchers: readonly Matcher[],
  text: string,
  headers: Headers,
): readonly Step[] =>
  sayingShort(steps, matchers, phrases => {
    const found = phrases.filter(phrase => isFound(phrase, text, headers))
    return `mentions ${found.map(phrase => `"${phrase}"`).join(', ')}`
  })

/** The words for a text that is not kept any more. */
export const sayingThatSomethingWasFound = (steps: readonly Step[], matchers: readonly Matcher[]): readonly Step[] =>
  sayingShort(steps, matchers, phrases => `mentions one of its ${phrases.length} phrases`)

function sayingShort(
  steps: readonly Step[],
  matchers: readonly Matcher[],
  found: (phrases: readonly string[]) => string,
): readonly Step[] {
  const long = matchers.flatMap(matcher =>
    matcher.kind === 'mentions' && matcher.phrases.length > FEW ? [matcher] : [],
  )
  // Of two names one may be a part of the other.
  const longestFirst = long.sort((a, b) => b.name.length - a.name.length)
  return steps.map(step => {
    if (step.stage !== 'route') return step
    let said = step.text
    for (const { name, phrases } of longestFirst) {
      if (!said.includes(name)) continue
      const none = `none of its ${phrases.length} phrases`
      said = said.replaceAll(`no ${name}`, none).replaceAll(name, found(phrases))
    }
    return { ...step, text: said }
  })
}

function isFound(phrase: string, text: string, headers: Headers): boolean {
  const matcher: Matcher = { kind: 'mentions', name: phrase, phrases: [phrase] }
  return signalsIn([matcher], text, headers)[phrase] === true
}
