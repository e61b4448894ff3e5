import { CLAUDE_CODE, claudeCode, LATER_CLAUDE_CODE } from './setups/claude-code.ts'
import { agentScenarios } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: CLAUDE_CODE }, () =>
  agentScenarios({ bearer: claudeCode('ANTHROPIC_AUTH_TOKEN'), 'x-api-key': claudeCode('ANTHROPIC_API_KEY') }),
)

clientSuite({ registry: 'npm', name: LATER_CLAUDE_CODE }, () =>
  agentScenarios({
    bearer: claudeCode('ANTHROPIC_AUTH_TOKEN', LATER_CLAUDE_CODE),
    'x-api-key': claudeCode('ANTHROPIC_API_KEY', LATER_CLAUDE_CODE),
  }),
)
