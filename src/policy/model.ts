import type { Alias, Config, Model } from './config.ts'
import type { Ruling } from './ruling.ts'

export interface Chosen {
  readonly model: Model
  /** Set when the request named an alias, or nothing and the default is one: only then may routing upgrade it. */
  readonly alias?: Alias
}

/** The model behind the name a request asks for. */
export function choose(config: Config, asked: string | undefined): Ruling<Chosen> {
  if (asked === undefined) return byDefault(config)
  const alias = config.aliases.get(asked)
  if (alias) return throughAlias(alias, `${alias.name} is an alias of ${alias.model.name}`)
  const model = config.models.get(asked)
  if (model)
    return { step: { stage: 'model', outcome: 'pass', text: `${asked} by name`, at: model.at }, value: { model } }
  return {
    step: { stage: 'model', outcome: 'deny', text: `no model or alias ${asked}` },
    denial: {
      code: 'VALIDATION_ERROR',
      field: 'model',
      problem: `no such model \`${asked}\`; GET /v1/models lists those there are`,
    },
  }
}

function byDefault({ defaultModel }: Config): Ruling<Chosen> {
  if ('model' in defaultModel) return throughAlias(defaultModel, `none named, so ${defaultModel.name}`)
  const text = `none named, so ${defaultModel.name}`
  return { step: { stage: 'model', outcome: 'pass', text, at: defaultModel.at }, value: { model: defaultModel } }
}

const throughAlias = (alias: Alias, text: string): Ruling<Chosen> => ({
  step: { stage: 'model', outcome: 'pass', text, at: alias.at },
  value: { model: alias.model, alias },
})
