import type { Alias, Config } from './config.ts'

/** The alias that a name stands for: of that name, or else the most specific of the patterns that it fits. A model goes before these. */
export function aliasNamed({ aliases, models }: Pick<Config, 'aliases' | 'models'>, asked: string): Alias | undefined {
  return aliases.get(asked) ?? (models.has(asked) ? undefined : bestPattern(aliases.values(), asked))
}

/** Whether an alias is a pattern, such as `claude-*`, which no list of names can show as one. */
export const isPattern = ({ name }: Pick<Alias, 'name'>): boolean => name.includes(ANY)

/** Stands for any text, or none. */
const ANY = '*'

/** Of two that fit, the one with more characters of its own; of two with as many, the one whose beginning is longer. */
function bestPattern(aliases: Iterable<Alias>, asked: string): Alias | undefined {
  let best: Alias | undefined
  for (const alias of aliases) {
    if (fits(alias.name, asked) && (!best || isMoreSpecific(alias.name, best.name))) best = alias
  }
  return best
}

function fits(name: string, asked: string): boolean {
  const at = name.indexOf(ANY)
  if (at === -1 || asked.length < name.length - 1) return false
  return asked.startsWith(name.slice(0, at)) && asked.endsWith(name.slice(at + 1))
}

const isMoreSpecific = (name: string, than: string): boolean =>
  name.length === than.length ? name.indexOf(ANY) > than.indexOf(ANY) : name.length > than.length
