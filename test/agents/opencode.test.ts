import { opencode } from './setups/opencode.ts'
import { agentScenarios, BOTH_POOLS } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: 'opencode-ai' }, () => {
  agentScenarios({ '@ai-sdk/openai-compatible': opencode('chat', '@ai-sdk/openai-compatible') })
  // It waits for a limit itself, whichever library it asks by.
  agentScenarios(
    {
      '@ai-sdk/openai': opencode('responses', '@ai-sdk/openai'),
      '@ai-sdk/anthropic': opencode('messages', '@ai-sdk/anthropic'),
    },
    BOTH_POOLS,
  )
})
