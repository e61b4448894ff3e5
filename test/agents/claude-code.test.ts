import { CLAUDE_CODE, claudeCode, LATER_CLAUDE_CODE } from './setups/claude-code.ts'
import { agentScenarios, BOTH_POOLS } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

// How a key is sent has nothing to do with limits.
clientSuite({ registry: 'npm', name: CLAUDE_CODE }, () => {
  agentScenarios({ bearer: claudeCode('ANTHROPIC_AUTH_TOKEN') })
  agentScenarios({ 'x-api-key': claudeCode('ANTHROPIC_API_KEY') }, BOTH_POOLS)
})

clientSuite({ registry: 'npm', name: LATER_CLAUDE_CODE }, () => {
  agentScenarios({ bearer: claudeCode('ANTHROPIC_AUTH_TOKEN', LATER_CLAUDE_CODE) })
  agentScenarios({ 'x-api-key': claudeCode('ANTHROPIC_API_KEY', LATER_CLAUDE_CODE) }, BOTH_POOLS)
})
