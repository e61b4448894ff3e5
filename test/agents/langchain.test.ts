import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@langchain/openai' }, () =>
  taskScenarios([process.execPath, 'test/agents/clients/node/langchain.mjs'], {
    chat: 'chat',
    responses: 'responses',
    anthropic: 'messages',
  }),
)

clientSuite({ registry: 'pypi', name: 'langchain-openai' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/langchain_chat.py'], {
    chat: 'chat',
    // It mixes up calls whose arguments come interleaved, as this model sends those of parallel calls.
    responses: { dialect: 'responses', oneByOne: true },
    anthropic: 'messages',
  }),
)
