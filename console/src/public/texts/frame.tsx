export const door = 'Keys, quota and models of your account.'
export const titles = {
  overview: 'Overview',
  keys: 'Keys',
  requests: 'Requests',
  models: 'Models',
  try: 'Try',
  billing: 'Billing',
  errors: 'Errors',
}
export const contact = 'Ask the operator'
