import { agentScenarios } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: '@qwen-code/qwen-code' }, () =>
  agentScenarios({
    openai: {
      dialect: 'chat',
      files: () => ({
        '.qwen/settings.json': JSON.stringify({
          general: { disableAutoUpdate: true },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
          // It would go on asking in the background after the task.
          memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        }),
      }),
      env: ({ baseURL, key, model }) => ({ OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: key, OPENAI_MODEL: model }),
      command: ({ task }) => ['qwen', '--auth-type', 'openai', '-y', '-p', task],
    },
  }),
)
