import { codex } from './setups/codex.ts'
import { agentScenarios, BOTH_POOLS, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'

/** By this name Codex knows what its model takes, and sends its tools as an item of the input. */
const named: Setup = { ...codex, files: site => codex.files?.({ ...site, model: 'gpt-5.6-sol' }) ?? {} }

clientSuite({ registry: 'npm', name: '@openai/codex' }, () => {
  agentScenarios({ responses: codex })
  agentScenarios({ 'gpt-5.6-sol': named }, BOTH_POOLS)
})
