import { clientSuite } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@llamaindex/openai' }, () =>
  // In streams, it mixes up calls with interleaved arguments, and repeats pieces of text.
  taskScenarios([process.execPath, 'test/agents/clients/node/llamaindex.mjs'], {
    chat: { dialect: 'chat', isWhole: true },
    responses: { dialect: 'responses', isWhole: true },
  }),
)
