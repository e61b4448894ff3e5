import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'pypi', name: 'litellm' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/litellm_client.py'], {
    openai: 'chat',
    responses: 'responses',
    anthropic: 'messages',
  }),
)
