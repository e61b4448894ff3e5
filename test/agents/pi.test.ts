import type { Dialect } from './model/model.ts'
import { agentScenarios, BOTH_POOLS, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

const setup = (dialect: Dialect, api: string): Setup => ({
  dialect,
  files: ({ baseURL, key, model }) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        gateway: {
          api,
          baseUrl: dialect === 'messages' ? baseURL.replace(/\/v1$/, '') : baseURL,
          apiKey: key,
          models: [{ id: model }],
        },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: '1' }),
  command: ({ task, model }) => ['pi', '--provider', 'gateway', '--model', model, '--no-session', '-p', task],
})

clientSuite({ registry: 'npm', name: '@mariozechner/pi-coding-agent' }, () =>
  agentScenarios(
    {
      'openai-completions': setup('chat', 'openai-completions'),
      'openai-responses': setup('responses', 'openai-responses'),
      'anthropic-messages': setup('messages', 'anthropic-messages'),
    },
    BOTH_POOLS,
  ),
)
