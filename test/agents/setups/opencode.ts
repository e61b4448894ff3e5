import type { Dialect } from '../model/model.ts'
import type { Setup } from '../support/agent.ts'

/** OpenCode with a provider of the AI SDK. */
export const opencode = (dialect: Dialect, npm: string): Setup => ({
  dialect,
  files: ({ baseURL, key, model }) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      model: `gateway/${model}`,
      small_model: `gateway/${model}`,
      autoupdate: false,
      share: 'disabled',
      provider: {
        gateway: {
          npm,
          name: 'gateway',
          options: { baseURL, apiKey: key },
          models: { [model]: { name: model, limit: { context: 200_000, output: 8000 } } },
        },
      },
      permission: { edit: 'allow', bash: 'allow' },
    }),
  }),
  env: () => ({
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  command: ({ task }) => ['opencode', 'run', task],
})
