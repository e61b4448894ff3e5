import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@openai/agents' }, () =>
  taskScenarios([process.execPath, 'test/agents/clients/node/agents.mjs'], { chat: 'chat', responses: 'responses' }),
)

clientSuite({ registry: 'pypi', name: 'openai-agents' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/agents_sdk.py'], { chat: 'chat', responses: 'responses' }),
)
