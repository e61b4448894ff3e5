import { clientSuite } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@tanstack/ai-openai' }, () =>
  taskScenarios([process.execPath, 'test/agents/clients/node/tanstack.mjs'], {
    chat: { dialect: 'chat', isStreamed: true },
    responses: { dialect: 'responses', isStreamed: true },
  }),
)
