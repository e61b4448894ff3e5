import { claudeCode } from './setups/claude-code.ts'
import { agentScenarios } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: '@anthropic-ai/claude-code' }, () =>
  agentScenarios({ bearer: claudeCode('ANTHROPIC_AUTH_TOKEN'), 'x-api-key': claudeCode('ANTHROPIC_API_KEY') }),
)
