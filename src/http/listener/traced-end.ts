import type { TracedEnd } from '../../gateway/ports.ts'
import type { Config } from '../../policy/config.ts'
import type { LogEntry } from '../log-entry.ts'

/** The model of a request by a name of the files: whatever else a client asked for is no name to keep. */
export function modelOf({ model, asked }: LogEntry, { models, aliases, defaultModel }: Config): string | undefined {
  if (model !== undefined || asked === undefined) return model
  if (asked === '') return 'model' in defaultModel ? defaultModel.model.name : defaultModel.name
  return models.has(asked) ? asked : aliases.get(asked)?.model.name
}

/** What a trace is told of a request that is over. */
export function tracedEnd(entry: LogEntry, config: Config): TracedEnd {
  const { status, plan, rule, pool, code, inputTokens, outputTokens, firstMs, interrupted } = entry
  const model = modelOf(entry, config)
  return {
    status,
    ...(model !== undefined && { model }),
    ...(plan !== undefined && { plan }),
    ...(rule !== undefined && { rule }),
    ...(pool !== undefined && { pool }),
    ...(code !== undefined && { code }),
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(firstMs !== undefined && { firstMs }),
    ...(interrupted !== undefined && { interrupted: true }),
  }
}
