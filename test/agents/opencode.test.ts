import type { Dialect } from './model/model.ts'
import { agentScenarios, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

const setup = (dialect: Dialect, npm: string): Setup => ({
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

clientSuite({ registry: 'npm', name: 'opencode-ai' }, () =>
  agentScenarios({
    '@ai-sdk/openai-compatible': setup('chat', '@ai-sdk/openai-compatible'),
    '@ai-sdk/openai': setup('responses', '@ai-sdk/openai'),
    '@ai-sdk/anthropic': setup('messages', '@ai-sdk/anthropic'),
  }),
)
