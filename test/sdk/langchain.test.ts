import { sdkSuite } from './support/suite.ts'

sdkSuite(['@langchain/openai', '@langchain/core'], async rig => {
  // These import the packages, so only where they are installed.
  const { loadLangChain } = await import('./langchain/sdk.ts')
  const { chatScenarios, toolScenarios } = await import('./langchain/answers.ts')
  const { errorScenarios } = await import('./langchain/errors.ts')
  const { vectorScenarios } = await import('./langchain/vectors.ts')
  const sdk = await loadLangChain(rig)
  chatScenarios(sdk)
  toolScenarios(sdk)
  vectorScenarios(sdk)
  errorScenarios(sdk)
})
