import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: 'openai' }, () =>
  taskScenarios([process.execPath, 'test/agents/clients/node/openai.mjs'], {
    chat: 'chat',
    runner: 'chat',
    responses: 'responses',
  }),
)

clientSuite({ registry: 'pypi', name: 'openai' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/openai_sdk.py'], { chat: 'chat', responses: 'responses' }),
)
