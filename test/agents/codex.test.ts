import { codex } from './setups/codex.ts'
import { agentScenarios, BOTH_POOLS, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

/** The model name tells Codex which features the model has; it then sends its tools as an input item. */
const named: Setup = { ...codex, files: site => codex.files?.({ ...site, model: 'gpt-5.6-sol' }) ?? {} }

clientSuite({ registry: 'npm', name: '@openai/codex' }, () => {
  agentScenarios({ responses: codex })
  agentScenarios({ 'gpt-5.6-sol': named }, BOTH_POOLS)
})
