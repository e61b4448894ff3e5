import { clientSuite } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@llamaindex/openai' }, () =>
  // Of a stream it mixes up calls whose arguments come interleaved, and repeats pieces of the text.
  taskScenarios([process.execPath, 'test/agents/clients/node/llamaindex.mjs'], {
    chat: { dialect: 'chat', isWhole: true },
    responses: { dialect: 'responses', isWhole: true },
  }),
)
