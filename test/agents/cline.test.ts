import type { Dialect } from './model/model.ts'
import { agentScenarios, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

const setup = (dialect: Dialect, provider: string): Setup => ({
  dialect,
  files: ({ baseURL, key, model }) => ({
    '.cline/data/settings/providers.json': JSON.stringify({
      version: 1,
      lastUsedProvider: provider,
      modes: {},
      providers: {
        [provider]: {
          settings: { provider, apiKey: key, model, baseUrl: baseURL },
          updatedAt: '2026-11-01T00:00:00.000Z',
          tokenSource: 'manual',
        },
      },
    }),
  }),
  // Otherwise a daemon of its own would stay behind.
  env: () => ({ CLINE_SESSION_BACKEND_MODE: 'local', CLINE_NO_AUTO_UPDATE: '1' }),
  command: ({ task }) => ['cline', '--json', task],
})

clientSuite({ registry: 'npm', name: 'cline' }, () =>
  agentScenarios({
    'openai-compatible': setup('chat', 'openai-compatible'),
    'openai-native': setup('responses', 'openai-native'),
  }),
)
