import { copilot } from './setups/copilot.ts'
import { agentScenarios, BOTH_POOLS } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: '@github/copilot' }, () =>
  agentScenarios(
    {
      completions: copilot('chat', { COPILOT_PROVIDER_WIRE_API: 'completions' }),
      responses: copilot('responses', { COPILOT_PROVIDER_WIRE_API: 'responses' }),
      anthropic: copilot('messages', { COPILOT_PROVIDER_TYPE: 'anthropic' }),
    },
    BOTH_POOLS,
  ),
)
