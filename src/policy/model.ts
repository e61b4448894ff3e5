import type { Alias, Config, Model } from './config.ts'
import type { InferenceRequest, PassthroughAsk } from './facts.ts'
import { type Ruling, refused } from './ruling.ts'

export interface Chosen {
  readonly model: Model
  /** Set when the request named an alias, or nothing and the default is one: only then may routing upgrade it. */
  readonly alias?: Alias
}

/** The model behind the name a request asks for. Only chat has a default. */
export function choose(config: Config, request: InferenceRequest): Ruling<Chosen> {
  if (request.kind === 'passthrough') return ofPath(config, request)
  const chosen = named(config, request)
  if ('denial' in chosen || chosen.value.model.kind === request.kind) return chosen
  const { name, kind } = chosen.value.model
  return refused('model', 'model', `${name} is a model of kind ${kind}, and this endpoint serves kind ${request.kind}`)
}

/** The alias that a name stands for, or no name where the default is one: what routing may upgrade. */
export function aliasOf({ aliases, defaultModel }: Config, asked: string | undefined): Alias | undefined {
  if (asked !== undefined) return aliases.get(asked)
  return 'model' in defaultModel ? defaultModel : undefined
}

/** Each pass-through route has one model, by whatever name a body calls it. */
function ofPath({ passthrough, aliases }: Config, { path, model: asked }: PassthroughAsk): Ruling<Chosen> {
  const model = passthrough.get(path)?.model
  if (!model) return refused('model', 'path', `nothing is passed through at ${path}`)
  const isMeant = asked === undefined || asked === model.name || aliases.get(asked)?.model === model
  return isMeant
    ? byName(model, `${path} is served by ${model.name}`)
    : refused('model', 'model', `${path} is served by ${model.name} and no other model; leave it out`)
}

function named(config: Config, { kind, model: asked }: InferenceRequest): Ruling<Chosen> {
  if (asked === undefined) return kind === 'chat' ? byDefault(config) : refused('model', 'model', 'is required')
  const alias = aliasOf(config, asked)
  if (alias) return throughAlias(alias, `${alias.name} is an alias of ${alias.model.name}`)
  const model = config.models.get(asked)
  if (model) return byName(model, `${asked} by name`)
  return refused('model', 'model', `no such model \`${asked}\`; GET /v1/models lists those there are`)
}

function byDefault({ defaultModel }: Config): Ruling<Chosen> {
  const text = `none named, so ${defaultModel.name}`
  return 'model' in defaultModel ? throughAlias(defaultModel, text) : byName(defaultModel, text)
}

const byName = (model: Model, text: string): Ruling<Chosen> => ({
  step: { stage: 'model', outcome: 'pass', text, at: model.at },
  value: { model },
})

const throughAlias = (alias: Alias, text: string): Ruling<Chosen> => ({
  step: { stage: 'model', outcome: 'pass', text, at: alias.at },
  value: { model: alias.model, alias },
})
