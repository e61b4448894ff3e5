import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'npm', name: '@anthropic-ai/sdk' }, () =>
  taskScenarios([process.execPath, 'test/agents/clients/node/anthropic.mjs'], {
    messages: 'messages',
    runner: 'messages',
  }),
)

clientSuite({ registry: 'pypi', name: 'anthropic' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/anthropic_sdk.py'], { messages: 'messages' }),
)
