import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

clientSuite({ registry: 'pypi', name: 'litellm' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/litellm_client.py'], {
    openai: 'chat',
    // It ends a stream of Responses at the end of its first item.
    responses: { dialect: 'responses', isWhole: true },
    anthropic: 'messages',
  }),
)
