import { codex } from './setups/codex.ts'
import { agentScenarios } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

clientSuite({ registry: 'npm', name: '@openai/codex' }, () => agentScenarios({ responses: codex }))
