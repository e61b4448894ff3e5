import type { Dialect } from './model/model.ts'
import { agentScenarios, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'
import { MODEL } from './support/rig.ts'

const setup = (dialect: Dialect, provider: string, model = MODEL): Setup => ({
  dialect,
  files: ({ baseURL, key }) => ({
    'config.yaml': `
name: gateway
version: 0.0.1
schema: v1
models:
  - name: ${model}
    provider: ${provider}
    model: ${model}
    apiBase: ${baseURL}
    apiKey: ${key}
    roles: [chat, edit, apply]
    capabilities: [tool_use]
`,
  }),
  env: () => ({ CONTINUE_CLI_ENABLE_TELEMETRY: '0' }),
  command: ({ home, task }) => ['cn', '--config', `${home}/config.yaml`, '--auto', '-p', task],
})

clientSuite({ registry: 'npm', name: '@continuedev/cli' }, () =>
  agentScenarios({
    openai: setup('chat', 'openai'),
    'openai, gpt-5': setup('responses', 'openai', 'gpt-5'),
    anthropic: { ...setup('messages', 'anthropic'), endsWhenLimited: true },
  }),
)
