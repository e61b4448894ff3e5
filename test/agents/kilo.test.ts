import { opencode } from './setups/opencode.ts'
import { agentScenarios, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

/** Kilo is made from OpenCode, and reads the same settings in a folder of its own. */
const kilo = (...[dialect, npm]: Parameters<typeof opencode>): Setup => {
  const { files } = opencode(dialect, npm)
  return {
    dialect,
    files: site => ({ '.config/kilo/kilo.json': Object.values(files?.(site) ?? {})[0] ?? '' }),
    env: () => ({
      KILO_CONFIG_CONTENT: JSON.stringify({ experimental: { openTelemetry: false } }),
      KILO_TELEMETRY_LEVEL: 'off',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_DISABLE_CODEBASE_INDEXING: '1',
    }),
    command: ({ task }) => ['kilo', 'run', '--pure', task],
  }
}

// Its start takes eight seconds of a core: one way is enough, for OpenCode takes the others, with the same libraries.
clientSuite({ registry: 'npm', name: '@kilocode/cli' }, () =>
  agentScenarios({ '@ai-sdk/openai-compatible': kilo('chat', '@ai-sdk/openai-compatible') }, ['translated']),
)
