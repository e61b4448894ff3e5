import type { Alias, Config, Model } from './config.ts'
import { type InvalidAt, invalidAt } from './decision.ts'
import type { InferenceRequest, PassthroughAsk } from './facts.ts'

export interface Chosen {
  readonly model: Model
  /** Set when the request named an alias, or nothing and the default is one: only then may routing upgrade it. */
  readonly alias?: Alias
}

/** The model behind the name a request asks for. Only chat has a default; of images, the one that there is. */
export function choose(config: Config, request: InferenceRequest): Chosen | InvalidAt {
  if (request.kind === 'passthrough') return ofPath(config, request)
  const chosen = named(config, request)
  if ('denial' in chosen || chosen.model.kind === request.kind) return chosen
  const { name, kind } = chosen.model
  return invalidAt(
    'model',
    'model',
    `${name} is a model of kind ${kind}, but this endpoint serves kind ${request.kind}`,
  )
}

/** The alias that a name stands for, or no name where the default is one: what routing may upgrade. */
export function aliasOf(config: Config, asked: string | undefined): Alias | undefined {
  if (asked !== undefined) return aliasNamed(config, asked)
  const { defaultModel } = config
  return 'model' in defaultModel ? defaultModel : undefined
}

/** The alias that a name stands for: of that name, or else the most specific of the patterns that it fits. A model goes before these. */
export function aliasNamed({ aliases, models }: Pick<Config, 'aliases' | 'models'>, asked: string): Alias | undefined {
  return aliases.get(asked) ?? (models.has(asked) ? undefined : bestPattern(aliases.values(), asked))
}

/** Whether an alias is a pattern, such as `claude-*`, which no list of names can show as one. */
export const isPattern = ({ name }: Pick<Alias, 'name'>): boolean => name.includes(ANY)

/** Each pass-through route has one model, by whatever name a body calls it. */
function ofPath(config: Config, { path, model: asked }: PassthroughAsk): Chosen | InvalidAt {
  const model = config.passthrough.get(path)?.model
  if (!model) return invalidAt('model', 'path', `nothing is passed through at ${path}`)
  const isMeant = asked === undefined || asked === model.name || aliasNamed(config, asked)?.model === model
  if (isMeant) return { model }
  return invalidAt('model', 'model', `${path} is served by ${model.name} and no other model; leave it out`)
}

function named(config: Config, { kind, model: asked }: InferenceRequest): Chosen | InvalidAt {
  const { models, defaultModel } = config
  if (asked === undefined) {
    if (kind === 'image') return onlyImageModel(models)
    if (kind !== 'chat') return invalidAt('model', 'model', 'is required')
    return 'model' in defaultModel ? throughAlias(defaultModel) : { model: defaultModel }
  }
  const alias = aliasNamed(config, asked)
  if (alias) return throughAlias(alias)
  const model = models.get(asked)
  if (model) return { model }
  const text = `no such model \`${asked}\`; GET /v1/models lists the models`
  return invalidAt('model', 'model', text, undefined, 'model_not_found')
}

/** OpenAI's own examples name no model: where there is one for images, it is meant. */
function onlyImageModel(models: Config['models']): Chosen | InvalidAt {
  const [model, other] = [...models.values()].filter(({ kind }) => kind === 'image')
  return model && !other ? { model } : invalidAt('model', 'model', 'is required')
}

const throughAlias = (alias: Alias): Chosen => ({ model: alias.model, alias })

/** Matches any text, including none. */
const ANY = '*'

/** The alias that fits best: the one with more characters of its own, or of two with as many, the one whose beginning is longer. */
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
