// Generated from schema/config.schema.json by scripts/generate.js. Do not edit.
'use strict'
module.exports = (formats, fitsUnit) => {
const exports = {}

exports.acceptsConfig = validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://svc-gateway.dev/schema/config.schema.json","type":"object","additionalProperties":false,"required":["version"],"properties":{"version":{"const":1},"brand":{"type":"string","pattern":"^[a-z][a-z0-9]{1,15}$"},"server":{"$ref":"#/$defs/server"},"store":{"type":"string","format":"x-store"},"redis":{"$ref":"#/$defs/redis"},"ledger":{"$ref":"#/$defs/ledger"},"decisions":{"$ref":"#/$defs/decisions"},"log":{"$ref":"#/$defs/log"},"metrics":{"$ref":"#/$defs/metrics"},"traces":{"$ref":"#/$defs/traces"},"identity":{"$ref":"#/$defs/identity"},"guests":{"$ref":"#/$defs/guests"},"responses":{"$ref":"#/$defs/responses"},"failover":{"$ref":"#/$defs/failover"},"limits":{"$ref":"#/$defs/limits"},"errors":{"$ref":"#/$defs/errors"},"include":{"type":"array","items":{"type":"string","minLength":1}},"plans":{"$ref":"#/$defs/plans"},"models":{"$ref":"#/$defs/models"},"aliases":{"$ref":"#/$defs/aliases"},"default_model":{"$ref":"#/$defs/default_model"},"pools":{"$ref":"#/$defs/pools"},"routes":{"$ref":"#/$defs/routes"},"hosted_tools":{"$ref":"#/$defs/hosted_tools"},"passthrough":{"$ref":"#/$defs/passthrough"}},"$defs":{"name":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},"alias_name":{"type":"string","maxLength":128,"pattern":"^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"},"server":{"type":"object","additionalProperties":false,"properties":{"listen":{"type":"string","format":"x-address"},"public_url":{"type":"string","format":"x-base-url"},"admin":{"type":"string","format":"x-address"},"admin_url":{"type":"string","format":"x-base-url"},"fleet_url":{"type":"string","format":"x-base-url"},"admin_tls":{"$ref":"#/$defs/admin_tls"},"workers":{"type":["integer","string"],"minimum":1,"maximum":64,"format":"x-workers"},"instances":{"$ref":"#/$defs/count"},"state_dir":{"type":"string","minLength":1},"console_url":{"type":"string","format":"x-base-url"},"console":{"type":"boolean"},"contact":{"type":"string","format":"x-contact"},"trusted_proxies":{"type":"array","uniqueItems":true,"items":{"type":"string","format":"x-network"}},"variables":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"}},"drain_delay":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":86400000}},"drain_timeout":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":86400000}}}},"admin_tls":{"type":"object","additionalProperties":false,"required":["certificate","key"],"properties":{"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"},"client_ca":{"type":"string","format":"x-secret"},"fleet_ca":{"type":"string","format":"x-secret"},"fleet_certificate":{"type":"string","format":"x-secret"},"fleet_key":{"type":"string","format":"x-secret"},"admins":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}},"support":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}},"viewers":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}}}},"redis":{"type":"object","additionalProperties":false,"properties":{"password":{"type":"string","format":"x-secret"},"sentinel_password":{"type":"string","format":"x-secret"},"ca":{"type":"string","format":"x-secret"},"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"}}},"ledger":{"type":"object","additionalProperties":false,"properties":{"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":86400000,"max":315360000000}},"archive":{"$ref":"#/$defs/archive"}}},"archive":{"type":"object","required":["to"],"additionalProperties":false,"properties":{"to":{"type":"string","format":"x-archive"},"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":86400000,"max":315360000000}},"password":{"type":"string","format":"x-secret"},"ca":{"type":"string","format":"x-secret"},"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"},"token":{"type":"string","format":"x-secret"}}},"decisions":{"type":"object","additionalProperties":false,"properties":{"log":{"type":"boolean"},"path":{"type":"string","minLength":1},"max_size":{"type":["string","integer"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000000,"max":10000000000}},"files":{"$ref":"#/$defs/count"}}},"log":{"type":"object","additionalProperties":false,"properties":{"format":{"enum":["text","json"]},"level":{"enum":["info","warn","error"]}}},"metrics":{"type":"object","additionalProperties":false,"properties":{"public":{"type":"boolean"},"token":{"type":"string","format":"x-secret"},"otlp":{"$ref":"#/$defs/metrics_otlp"}}},"metrics_otlp":{"type":"object","additionalProperties":false,"required":["endpoint"],"properties":{"endpoint":{"type":"string","format":"x-base-url"},"every":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":3600000}},"headers":{"type":"array","items":{"$ref":"#/$defs/trace_header"}}}},"traces":{"type":"object","additionalProperties":false,"required":["endpoint"],"properties":{"endpoint":{"type":"string","format":"x-base-url"},"sample":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]+)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"share","min":0,"max":1000000}},"headers":{"type":"array","items":{"$ref":"#/$defs/trace_header"}}}},"header_name":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"},"trace_header":{"type":"object","additionalProperties":false,"required":["name","secret"],"properties":{"name":{"$ref":"#/$defs/header_name"},"secret":{"type":"string","format":"x-secret"}}},"identity":{"type":"object","additionalProperties":false,"required":["default_plan"],"properties":{"issuer":{"type":"string","format":"x-issuer"},"plan_claim":{"type":"string","minLength":1},"label_claim":{"type":"string","minLength":1},"default_plan":{"$ref":"#/$defs/name"},"token_types":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/-]{0,63}$"}},"admins":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"support":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"viewers":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"issuers":{"type":"array","minItems":1,"maxItems":20,"items":{"$ref":"#/$defs/service_issuer"}},"client_id":{"type":"string","minLength":1},"console_client_id":{"type":"string","minLength":1}}},"service_issuer":{"type":"object","additionalProperties":false,"required":["issuer","accounts"],"properties":{"issuer":{"type":"string","format":"x-issuer"},"audience":{"type":"string","minLength":1},"accounts":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/service_account"}}}},"service_account":{"type":"object","additionalProperties":false,"required":["name","claims","plan"],"properties":{"name":{"$ref":"#/$defs/name"},"claims":{"type":"object","minProperties":1,"maxProperties":10,"additionalProperties":{"type":["string","array"],"pattern":"^[^*]+\\*?$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^[^*]+\\*?$"}}},"account_claim":{"type":"string","minLength":1},"plan":{"$ref":"#/$defs/name"},"limits":{"type":"array","minItems":1,"maxItems":16,"items":{"$ref":"#/$defs/limit_rule"}}}},"guests":{"type":"object","additionalProperties":false,"required":["plan","usd_per_day_total"],"properties":{"plan":{"$ref":"#/$defs/name"},"mint_per_ip_hour":{"$ref":"#/$defs/count"},"mint_per_net_hour":{"$ref":"#/$defs/count"},"usd_per_day_total":{"$ref":"#/$defs/usd"},"secret":{"type":"string","format":"x-secret"},"former_secret":{"type":"string","format":"x-secret"}}},"responses":{"type":"object","additionalProperties":false,"required":["keep","key"],"properties":{"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":60000,"max":2592000000}},"key":{"type":"string","format":"x-secret"},"former_key":{"type":"string","format":"x-secret"},"max_bytes_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":64000,"max":1000000000}},"max_responses_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":10000}}}},"failover":{"type":"object","additionalProperties":false,"properties":{"connect_timeout":{"$ref":"#/$defs/connect_timeout"},"headers_timeout":{"$ref":"#/$defs/headers_timeout"},"first_content_timeout":{"$ref":"#/$defs/first_content_timeout"},"idle_timeout":{"$ref":"#/$defs/idle_timeout"},"stream_timeout":{"$ref":"#/$defs/stream_timeout"},"answer_timeout":{"$ref":"#/$defs/answer_timeout"},"queue_timeout":{"$ref":"#/$defs/queue_timeout"},"wait_for_retry_after":{"$ref":"#/$defs/wait_for_retry_after"},"eject":{"$ref":"#/$defs/eject"},"probe":{"$ref":"#/$defs/probe"}}},"limits":{"type":"object","additionalProperties":false,"properties":{"body":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":1000000000}},"body_memory":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":2000,"max":1000000000000}},"embedding_batch":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":2048}},"image_sizes":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","format":"x-image-size"}},"headers_timeout":{"$ref":"#/$defs/patience"},"request_timeout":{"$ref":"#/$defs/patience"},"idle_timeout":{"$ref":"#/$defs/patience"},"connections":{"$ref":"#/$defs/count"},"connections_per_ip":{"$ref":"#/$defs/count"},"keys_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000}},"tool_rounds":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":2,"max":32}},"tool_time":{"$ref":"#/$defs/patience"},"shed_load":{"type":"boolean"}}},"errors":{"type":"object","additionalProperties":false,"properties":{"form":{"enum":["auto","spec","openai"]},"docs":{"type":"string","format":"x-link"},"topup":{"type":"string","format":"x-link"}}},"plans":{"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/plan"}},"plan":{"type":"object","additionalProperties":false,"required":["models","rpm","tpm","monthly_usd"],"properties":{"models":{"type":["array","string"],"pattern":"^all$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!all$)(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}},"tools":{"type":["array","string"],"pattern":"^all$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!all$)[a-z][a-z0-9_]{0,46}$"}},"rpm":{"$ref":"#/$defs/count"},"tpm":{"$ref":"#/$defs/count"},"per_day":{"$ref":"#/$defs/count"},"max_concurrent":{"$ref":"#/$defs/count"},"monthly_usd":{"$ref":"#/$defs/usd"},"limits":{"type":"array","minItems":1,"maxItems":64,"items":{"$ref":"#/$defs/limit_rule"}},"overage":{"type":["boolean","object"],"additionalProperties":false,"required":["cap_usd"],"properties":{"cap_usd":{"$ref":"#/$defs/usd"}}},"commit":{"$ref":"#/$defs/commit"}}},"limit_rule":{"type":"object","additionalProperties":false,"minProperties":1,"properties":{"requests":{"$ref":"#/$defs/limit_count"},"tokens":{"$ref":"#/$defs/limit_count"},"input_tokens":{"$ref":"#/$defs/limit_count"},"output_tokens":{"$ref":"#/$defs/limit_count"},"images":{"$ref":"#/$defs/limit_count"},"seconds":{"$ref":"#/$defs/limit_count"},"usd":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":1000,"max":9000000000000000}},"concurrent":{"$ref":"#/$defs/limit_count"},"per":{"type":"string","format":"x-window","pattern":"^(second|minute|hour|day|week|month|[1-9]d|[1-8][0-9]d|90d)$"},"of":{"enum":["account","key","user","plan","org","everybody"]},"model":{"type":"string","pattern":"^(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}},"models":{"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/model"}},"model":{"type":"object","required":["kind"],"discriminator":{"propertyName":"kind"},"oneOf":[{"$ref":"#/$defs/chat_model"},{"$ref":"#/$defs/embedding_model"},{"$ref":"#/$defs/image_model"},{"$ref":"#/$defs/passthrough_model"}]},"chat_model":{"type":"object","additionalProperties":false,"required":["kind","tier","serve","context","usd_per_1m"],"properties":{"kind":{"const":"chat"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"context":{"$ref":"#/$defs/tokens"},"max_output":{"$ref":"#/$defs/tokens"},"vision":{"type":"boolean"},"image_tokens":{"$ref":"#/$defs/tokens"},"thinking":{"type":"object","additionalProperties":false,"required":["default","min_max_tokens"],"properties":{"default":{"type":"boolean"},"min_max_tokens":{"$ref":"#/$defs/tokens"}}},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input","output"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}},"commit":{"$ref":"#/$defs/commit"},"lossy":{"enum":["allow","refuse"]}}},"embedding_model":{"type":"object","additionalProperties":false,"required":["kind","tier","serve","context","usd_per_1m"],"properties":{"kind":{"const":"embedding"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"context":{"$ref":"#/$defs/tokens"},"dimensions":{"type":["integer","object"],"additionalProperties":false,"properties":{"native":{"const":768},"any":{"type":"boolean"}},"if":{"type":"integer"},"then":{"const":768}},"token_ids":{"type":"boolean"},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"}}}}},"image_model":{"type":"object","additionalProperties":false,"required":["kind","tier","serve","usd_per_image"],"properties":{"kind":{"const":"image"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_image":{"type":["number","string","object"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000},"minProperties":1,"additionalProperties":{"$ref":"#/$defs/image_price"}}}},"passthrough_model":{"type":"object","additionalProperties":false,"required":["kind","tier","serve"],"properties":{"kind":{"const":"passthrough"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}}}},"accepts":{"type":"object","minProperties":1,"propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/accepted"}},"accepted":{"type":"object","additionalProperties":false,"properties":{"max":{"type":"number"},"min":{"type":"number"},"one_of":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":64}},"max_length":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000}},"boolean":{"const":true},"max_size":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?([KMG]?B)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":2,"max":1000000}}}},"tier":{"$ref":"#/$defs/name"},"serve":{"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/name","type":"string"}},"aliases":{"type":"object","propertyNames":{"$ref":"#/$defs/alias_name"},"additionalProperties":{"$ref":"#/$defs/name"}},"default_model":{"type":"string","maxLength":128,"pattern":"^[A-Za-z0-9][A-Za-z0-9._/:\\[\\]-]*$"},"routes":{"type":"array","items":{"$ref":"#/$defs/route"}},"route":{"type":"object","additionalProperties":false,"required":["name","when","use"],"properties":{"name":{"$ref":"#/$defs/name"},"when":{"$ref":"#/$defs/when"},"use":{"$ref":"#/$defs/name"}}},"when":{"type":"object","additionalProperties":false,"minProperties":1,"properties":{"mentions":{"type":["string","array"],"minLength":1,"maxLength":200,"minItems":1,"maxItems":200,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":200}},"matches":{"type":"string","minLength":1,"maxLength":500,"format":"x-pattern"},"input_tokens":{"type":"object","additionalProperties":false,"minProperties":1,"properties":{"over":{"$ref":"#/$defs/tokens"},"under":{"$ref":"#/$defs/tokens"}}},"has_tools":{"type":"boolean"},"has_images":{"type":"boolean"},"plan":{"$ref":"#/$defs/names"},"alias":{"$ref":"#/$defs/alias_names"},"header":{"type":"object","minProperties":1,"maxProperties":10,"propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"type":["string","array"],"minLength":1,"minItems":1,"uniqueItems":true,"items":{"type":"string","minLength":1}}},"hour":{"type":"object","additionalProperties":false,"required":["from","to"],"properties":{"from":{"type":"integer","minimum":0,"maximum":23},"to":{"type":"integer","minimum":1,"maximum":24},"zone":{"$ref":"#/$defs/zone"}}},"weekday":{"type":"object","additionalProperties":false,"required":["days"],"properties":{"days":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["mon","tue","wed","thu","fri","sat","sun"]}},"zone":{"$ref":"#/$defs/zone"}}},"any":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/when"}},"not":{"$ref":"#/$defs/when"}}},"zone":{"type":"string","format":"x-zone"},"alias_names":{"type":["string","array"],"maxLength":128,"pattern":"^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/alias_name","type":"string"}},"names":{"type":["string","array"],"pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/name","type":"string"}},"hosted_tools":{"type":"object","propertyNames":{"$ref":"#/$defs/tool_name"},"additionalProperties":{"$ref":"#/$defs/hosted_tool"}},"tool_name":{"type":"string","pattern":"^(?!all$)[a-z][a-z0-9_]{0,46}$"},"hosted_tool":{"type":"object","oneOf":[{"$ref":"#/$defs/mcp_tool"},{"$ref":"#/$defs/http_tool"},{"$ref":"#/$defs/builtin_tool"}]},"mcp_tool":{"type":"object","additionalProperties":false,"required":["mcp"],"properties":{"mcp":{"type":"string","format":"x-base-url"},"tool":{"type":"string","minLength":1},"transport":{"enum":["streamable_http","sse"]},"description":{"type":"string","minLength":1},"key":{"$ref":"#/$defs/tool_key"},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}},"http_tool":{"type":"object","additionalProperties":false,"required":["http","description","parameters"],"properties":{"http":{"type":"string","format":"x-base-url"},"description":{"type":"string","minLength":1},"parameters":{"type":"object","additionalProperties":{}},"key":{"$ref":"#/$defs/tool_key"},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}},"builtin_tool":{"type":"object","additionalProperties":false,"required":["builtin"],"properties":{"builtin":{"enum":["current_time","calculator"]},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}},"tool_key":{"type":"string","format":"x-secret"},"tool_timeout":{"$ref":"#/$defs/duration"},"max_calls":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":100}},"max_result":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":256,"max":1000000}},"usd_per_call":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}},"passthrough":{"type":"array","items":{"$ref":"#/$defs/passthrough_route"}},"passthrough_route":{"type":"object","additionalProperties":false,"required":["path","methods","model","meter"],"properties":{"path":{"type":"string","pattern":"^/v1(/[a-z0-9][a-z0-9_-]*)+$","maxLength":128},"methods":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["POST","GET"]}},"model":{"$ref":"#/$defs/name"},"accepts":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["json","multipart","binary"]}},"max_body":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":1000000000}},"upgrade":{"enum":["websocket"]},"max_session":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}},"idle_timeout":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}},"max_message":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":16000000}},"meter":{"$ref":"#/$defs/meter"}}},"meter":{"type":"object","additionalProperties":false,"properties":{"usd_per_call":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}},"usd_per_second":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":10000000000}},"max_seconds":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":86400}},"usd_per_mb":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":5000000000}},"max_mb":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000}},"usage":{"type":"object","additionalProperties":false,"required":["max_input"],"properties":{"max_input":{"$ref":"#/$defs/tokens"},"max_output":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":0,"max":10000000}}}}}},"pools":{"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/pool"}},"pool":{"type":"object","additionalProperties":false,"required":["site","replicas","model"],"properties":{"site":{"$ref":"#/$defs/name"},"replicas":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","format":"x-base-url"}},"model":{"type":"string","minLength":1},"speaks":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["chat","responses","messages"]}},"key":{"type":"string","format":"x-secret"},"auth":{"type":["string","object"],"pattern":"^(bearer|x-api-key|api-key)$","additionalProperties":false,"required":["header"],"properties":{"header":{"$ref":"#/$defs/header_name"},"prefix":{"type":"string","pattern":"^[ -~]{0,64}$"}}},"headers":{"type":"object","minProperties":1,"maxProperties":20,"propertyNames":{"$ref":"#/$defs/header_name"},"additionalProperties":{"type":"string","format":"x-header-value"}},"query":{"type":"object","minProperties":1,"maxProperties":20,"propertyNames":{"type":"string","pattern":"^[A-Za-z0-9._~-]{1,64}$"},"additionalProperties":{"type":"string","minLength":1,"maxLength":256}},"betas":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\\*?$","minLength":1}},"provider_tools":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!.*_preview)[a-z]+(_[a-z]+)*$","maxLength":64}},"connect_timeout":{"$ref":"#/$defs/connect_timeout"},"headers_timeout":{"$ref":"#/$defs/headers_timeout"},"first_content_timeout":{"$ref":"#/$defs/first_content_timeout"},"idle_timeout":{"$ref":"#/$defs/idle_timeout"},"stream_timeout":{"$ref":"#/$defs/stream_timeout"},"answer_timeout":{"$ref":"#/$defs/answer_timeout"},"queue_timeout":{"$ref":"#/$defs/queue_timeout"},"wait_for_retry_after":{"$ref":"#/$defs/wait_for_retry_after"},"eject":{"$ref":"#/$defs/eject"},"probe":{"$ref":"#/$defs/probe"},"context":{"$ref":"#/$defs/tokens"},"max_concurrent":{"$ref":"#/$defs/count"},"cost_usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}},"cost_usd_per_image":{"$ref":"#/$defs/usd"},"max_usd_per_hour":{"$ref":"#/$defs/usd"}}},"eject":{"type":"object","additionalProperties":false,"properties":{"after":{"$ref":"#/$defs/count"},"for":{"$ref":"#/$defs/duration"}}},"probe":{"type":["boolean","object"],"additionalProperties":false,"properties":{"path":{"type":"string","pattern":"^/[!-~]*$"},"every":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}}}},"commit":{"enum":["first_content","complete"]},"queue_timeout":{"$ref":"#/$defs/duration"},"wait_for_retry_after":{"$ref":"#/$defs/retry_wait"},"connect_timeout":{"$ref":"#/$defs/duration"},"headers_timeout":{"$ref":"#/$defs/duration"},"first_content_timeout":{"$ref":"#/$defs/duration"},"idle_timeout":{"$ref":"#/$defs/duration"},"stream_timeout":{"$ref":"#/$defs/duration"},"answer_timeout":{"$ref":"#/$defs/duration"},"count":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000000}},"limit_count":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000000000000}},"tokens":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":10000000}},"duration":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1,"max":86400000}},"retry_wait":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":60000}},"patience":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":3600000}},"usd":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":9000000000000000}},"image_price":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}},"price":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"price","min":0,"max":500000000}},"cache_write":{"type":["number","string","object"],"pattern":"^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"price","min":0,"max":500000000},"additionalProperties":false,"required":["5m","1h"],"properties":{"5m":{"$ref":"#/$defs/price"},"1h":{"$ref":"#/$defs/price"}}}}};
const schema35 = {"type":"object","additionalProperties":false,"properties":{"password":{"type":"string","format":"x-secret"},"sentinel_password":{"type":"string","format":"x-secret"},"ca":{"type":"string","format":"x-secret"},"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"}}};
const schema40 = {"type":"object","additionalProperties":false,"properties":{"format":{"enum":["text","json"]},"level":{"enum":["info","warn","error"]}}};
const schema65 = {"type":"object","additionalProperties":false,"required":["keep","key"],"properties":{"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":60000,"max":2592000000}},"key":{"type":"string","format":"x-secret"},"former_key":{"type":"string","format":"x-secret"},"max_bytes_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":64000,"max":1000000000}},"max_responses_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":10000}}}};
const schema86 = {"type":"object","additionalProperties":false,"properties":{"form":{"enum":["auto","spec","openai"]},"docs":{"type":"string","format":"x-link"},"topup":{"type":"string","format":"x-link"}}};
const schema133 = {"type":"string","maxLength":128,"pattern":"^[A-Za-z0-9][A-Za-z0-9._/:\\[\\]-]*$"};
const func1 = Object.prototype.hasOwnProperty;
const func4 = require("ajv/dist/runtime/ucs2length").default;
const pattern4 = new RegExp("^[a-z][a-z0-9]{1,15}$", "u");
const pattern10 = new RegExp("^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$", "u");
const pattern14 = new RegExp("^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$", "u");
const pattern8 = new RegExp("^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$", "u");
const pattern107 = new RegExp("^[A-Za-z0-9][A-Za-z0-9._/:\\[\\]-]*$", "u");
const schema32 = {"type":"object","additionalProperties":false,"properties":{"listen":{"type":"string","format":"x-address"},"public_url":{"type":"string","format":"x-base-url"},"admin":{"type":"string","format":"x-address"},"admin_url":{"type":"string","format":"x-base-url"},"fleet_url":{"type":"string","format":"x-base-url"},"admin_tls":{"$ref":"#/$defs/admin_tls"},"workers":{"type":["integer","string"],"minimum":1,"maximum":64,"format":"x-workers"},"instances":{"$ref":"#/$defs/count"},"state_dir":{"type":"string","minLength":1},"console_url":{"type":"string","format":"x-base-url"},"console":{"type":"boolean"},"contact":{"type":"string","format":"x-contact"},"trusted_proxies":{"type":"array","uniqueItems":true,"items":{"type":"string","format":"x-network"}},"variables":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$"}},"drain_delay":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":86400000}},"drain_timeout":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":86400000}}}};
const schema33 = {"type":"object","additionalProperties":false,"required":["certificate","key"],"properties":{"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"},"client_ca":{"type":"string","format":"x-secret"},"fleet_ca":{"type":"string","format":"x-secret"},"fleet_certificate":{"type":"string","format":"x-secret"},"fleet_key":{"type":"string","format":"x-secret"},"admins":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}},"support":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}},"viewers":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}}}};
const schema34 = {"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000000}};
const formats0 = formats["x-address"];
const formats2 = formats["x-base-url"];
const formats10 = formats["x-secret"];
const formats22 = formats["x-workers"];
const formats26 = formats["x-contact"];
const formats28 = formats["x-network"];
const pattern5 = new RegExp("^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$", "u");
const pattern9 = new RegExp("^[A-Za-z_][A-Za-z0-9_]*$", "u");
function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema32.properties, key0))){
validate21.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.listen !== undefined){
let data0 = data.listen;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats0.validate(data0))){
validate21.errors = [{instancePath:instancePath+"/listen",schemaPath:"#/properties/listen/format",keyword:"format",params:{format: "x-address"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/listen",schemaPath:"#/properties/listen/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.public_url !== undefined){
let data1 = data.public_url;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(!(formats2.validate(data1))){
validate21.errors = [{instancePath:instancePath+"/public_url",schemaPath:"#/properties/public_url/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/public_url",schemaPath:"#/properties/public_url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.admin !== undefined){
let data2 = data.admin;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(!(formats0.validate(data2))){
validate21.errors = [{instancePath:instancePath+"/admin",schemaPath:"#/properties/admin/format",keyword:"format",params:{format: "x-address"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin",schemaPath:"#/properties/admin/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.admin_url !== undefined){
let data3 = data.admin_url;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(!(formats2.validate(data3))){
validate21.errors = [{instancePath:instancePath+"/admin_url",schemaPath:"#/properties/admin_url/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_url",schemaPath:"#/properties/admin_url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.fleet_url !== undefined){
let data4 = data.fleet_url;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats2.validate(data4))){
validate21.errors = [{instancePath:instancePath+"/fleet_url",schemaPath:"#/properties/fleet_url/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/fleet_url",schemaPath:"#/properties/fleet_url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.admin_tls !== undefined){
let data5 = data.admin_tls;
const _errs12 = errors;
const _errs13 = errors;
if(errors === _errs13){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
let missing0;
if(((data5.certificate === undefined) && (missing0 = "certificate")) || ((data5.key === undefined) && (missing0 = "key"))){
validate21.errors = [{instancePath:instancePath+"/admin_tls",schemaPath:"#/$defs/admin_tls/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs15 = errors;
for(const key1 in data5){
if(!(func1.call(schema33.properties, key1))){
validate21.errors = [{instancePath:instancePath+"/admin_tls",schemaPath:"#/$defs/admin_tls/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs15 === errors){
if(data5.certificate !== undefined){
let data6 = data5.certificate;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data6 === "string"){
if(!(formats10.validate(data6))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/certificate",schemaPath:"#/$defs/admin_tls/properties/certificate/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/certificate",schemaPath:"#/$defs/admin_tls/properties/certificate/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.key !== undefined){
let data7 = data5.key;
const _errs18 = errors;
if(errors === _errs18){
if(errors === _errs18){
if(typeof data7 === "string"){
if(!(formats10.validate(data7))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/key",schemaPath:"#/$defs/admin_tls/properties/key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/key",schemaPath:"#/$defs/admin_tls/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs18 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.client_ca !== undefined){
let data8 = data5.client_ca;
const _errs20 = errors;
if(errors === _errs20){
if(errors === _errs20){
if(typeof data8 === "string"){
if(!(formats10.validate(data8))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/client_ca",schemaPath:"#/$defs/admin_tls/properties/client_ca/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/client_ca",schemaPath:"#/$defs/admin_tls/properties/client_ca/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.fleet_ca !== undefined){
let data9 = data5.fleet_ca;
const _errs22 = errors;
if(errors === _errs22){
if(errors === _errs22){
if(typeof data9 === "string"){
if(!(formats10.validate(data9))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_ca",schemaPath:"#/$defs/admin_tls/properties/fleet_ca/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_ca",schemaPath:"#/$defs/admin_tls/properties/fleet_ca/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs22 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.fleet_certificate !== undefined){
let data10 = data5.fleet_certificate;
const _errs24 = errors;
if(errors === _errs24){
if(errors === _errs24){
if(typeof data10 === "string"){
if(!(formats10.validate(data10))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_certificate",schemaPath:"#/$defs/admin_tls/properties/fleet_certificate/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_certificate",schemaPath:"#/$defs/admin_tls/properties/fleet_certificate/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs24 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.fleet_key !== undefined){
let data11 = data5.fleet_key;
const _errs26 = errors;
if(errors === _errs26){
if(errors === _errs26){
if(typeof data11 === "string"){
if(!(formats10.validate(data11))){
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_key",schemaPath:"#/$defs/admin_tls/properties/fleet_key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/fleet_key",schemaPath:"#/$defs/admin_tls/properties/fleet_key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs26 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.admins !== undefined){
let data12 = data5.admins;
const _errs28 = errors;
if(errors === _errs28){
if(Array.isArray(data12)){
var valid3 = true;
const len0 = data12.length;
for(let i0=0; i0<len0; i0++){
let data13 = data12[i0];
const _errs30 = errors;
if(errors === _errs30){
if(typeof data13 === "string"){
if(!pattern5.test(data13)){
validate21.errors = [{instancePath:instancePath+"/admin_tls/admins/" + i0,schemaPath:"#/$defs/admin_tls/properties/admins/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/admins/" + i0,schemaPath:"#/$defs/admin_tls/properties/admins/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs30 === errors;
if(!valid3){
break;
}
}
if(valid3){
let i1 = data12.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data12[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate21.errors = [{instancePath:instancePath+"/admin_tls/admins",schemaPath:"#/$defs/admin_tls/properties/admins/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/admins",schemaPath:"#/$defs/admin_tls/properties/admins/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs28 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.support !== undefined){
let data14 = data5.support;
const _errs32 = errors;
if(errors === _errs32){
if(Array.isArray(data14)){
var valid5 = true;
const len1 = data14.length;
for(let i2=0; i2<len1; i2++){
let data15 = data14[i2];
const _errs34 = errors;
if(errors === _errs34){
if(typeof data15 === "string"){
if(!pattern5.test(data15)){
validate21.errors = [{instancePath:instancePath+"/admin_tls/support/" + i2,schemaPath:"#/$defs/admin_tls/properties/support/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/support/" + i2,schemaPath:"#/$defs/admin_tls/properties/support/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid5 = _errs34 === errors;
if(!valid5){
break;
}
}
if(valid5){
let i3 = data14.length;
let j1;
if(i3 > 1){
const indices1 = {};
for(;i3--;){
let item1 = data14[i3];
if(typeof item1 !== "string"){
continue;
}
if(typeof indices1[item1] == "number"){
j1 = indices1[item1];
validate21.errors = [{instancePath:instancePath+"/admin_tls/support",schemaPath:"#/$defs/admin_tls/properties/support/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break;
}
indices1[item1] = i3;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/support",schemaPath:"#/$defs/admin_tls/properties/support/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs32 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data5.viewers !== undefined){
let data16 = data5.viewers;
const _errs36 = errors;
if(errors === _errs36){
if(Array.isArray(data16)){
var valid7 = true;
const len2 = data16.length;
for(let i4=0; i4<len2; i4++){
let data17 = data16[i4];
const _errs38 = errors;
if(errors === _errs38){
if(typeof data17 === "string"){
if(!pattern5.test(data17)){
validate21.errors = [{instancePath:instancePath+"/admin_tls/viewers/" + i4,schemaPath:"#/$defs/admin_tls/properties/viewers/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9@._-]{0,63}$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/viewers/" + i4,schemaPath:"#/$defs/admin_tls/properties/viewers/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid7 = _errs38 === errors;
if(!valid7){
break;
}
}
if(valid7){
let i5 = data16.length;
let j2;
if(i5 > 1){
const indices2 = {};
for(;i5--;){
let item2 = data16[i5];
if(typeof item2 !== "string"){
continue;
}
if(typeof indices2[item2] == "number"){
j2 = indices2[item2];
validate21.errors = [{instancePath:instancePath+"/admin_tls/viewers",schemaPath:"#/$defs/admin_tls/properties/viewers/uniqueItems",keyword:"uniqueItems",params:{i: i5, j: j2}}];
return false;
break;
}
indices2[item2] = i5;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls/viewers",schemaPath:"#/$defs/admin_tls/properties/viewers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs36 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/admin_tls",schemaPath:"#/$defs/admin_tls/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.workers !== undefined){
let data18 = data.workers;
const _errs40 = errors;
if((!(((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18))) && (isFinite(data18)))) && (typeof data18 !== "string")){
validate21.errors = [{instancePath:instancePath+"/workers",schemaPath:"#/properties/workers/type",keyword:"type",params:{type: schema32.properties.workers.type}}];
return false;
}
if(errors === _errs40){
if((typeof data18 == "number") && (isFinite(data18))){
if(data18 > 64 || isNaN(data18)){
validate21.errors = [{instancePath:instancePath+"/workers",schemaPath:"#/properties/workers/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64}}];
return false;
}
else {
if(data18 < 1 || isNaN(data18)){
validate21.errors = [{instancePath:instancePath+"/workers",schemaPath:"#/properties/workers/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
if(errors === _errs40){
if(typeof data18 === "string"){
if(!(formats22.validate(data18))){
validate21.errors = [{instancePath:instancePath+"/workers",schemaPath:"#/properties/workers/format",keyword:"format",params:{format: "x-workers"}}];
return false;
}
}
}
}
var valid0 = _errs40 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.instances !== undefined){
let data19 = data.instances;
const _errs42 = errors;
const _errs43 = errors;
if((!(((typeof data19 == "number") && (!(data19 % 1) && !isNaN(data19))) && (isFinite(data19)))) && (typeof data19 !== "string")){
validate21.errors = [{instancePath:instancePath+"/instances",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data19)){
validate21.errors = [{instancePath:instancePath+"/instances",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs43){
if(typeof data19 === "string"){
if(!pattern8.test(data19)){
validate21.errors = [{instancePath:instancePath+"/instances",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs42 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.state_dir !== undefined){
let data20 = data.state_dir;
const _errs45 = errors;
if(errors === _errs45){
if(typeof data20 === "string"){
if(func4(data20) < 1){
validate21.errors = [{instancePath:instancePath+"/state_dir",schemaPath:"#/properties/state_dir/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/state_dir",schemaPath:"#/properties/state_dir/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs45 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.console_url !== undefined){
let data21 = data.console_url;
const _errs47 = errors;
if(errors === _errs47){
if(errors === _errs47){
if(typeof data21 === "string"){
if(!(formats2.validate(data21))){
validate21.errors = [{instancePath:instancePath+"/console_url",schemaPath:"#/properties/console_url/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/console_url",schemaPath:"#/properties/console_url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs47 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.console !== undefined){
const _errs49 = errors;
if(typeof data.console !== "boolean"){
validate21.errors = [{instancePath:instancePath+"/console",schemaPath:"#/properties/console/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs49 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.contact !== undefined){
let data23 = data.contact;
const _errs51 = errors;
if(errors === _errs51){
if(errors === _errs51){
if(typeof data23 === "string"){
if(!(formats26.validate(data23))){
validate21.errors = [{instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/format",keyword:"format",params:{format: "x-contact"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/contact",schemaPath:"#/properties/contact/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs51 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.trusted_proxies !== undefined){
let data24 = data.trusted_proxies;
const _errs53 = errors;
if(errors === _errs53){
if(Array.isArray(data24)){
var valid10 = true;
const len3 = data24.length;
for(let i6=0; i6<len3; i6++){
let data25 = data24[i6];
const _errs55 = errors;
if(errors === _errs55){
if(errors === _errs55){
if(typeof data25 === "string"){
if(!(formats28.validate(data25))){
validate21.errors = [{instancePath:instancePath+"/trusted_proxies/" + i6,schemaPath:"#/properties/trusted_proxies/items/format",keyword:"format",params:{format: "x-network"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/trusted_proxies/" + i6,schemaPath:"#/properties/trusted_proxies/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid10 = _errs55 === errors;
if(!valid10){
break;
}
}
if(valid10){
let i7 = data24.length;
let j3;
if(i7 > 1){
const indices3 = {};
for(;i7--;){
let item3 = data24[i7];
if(typeof item3 !== "string"){
continue;
}
if(typeof indices3[item3] == "number"){
j3 = indices3[item3];
validate21.errors = [{instancePath:instancePath+"/trusted_proxies",schemaPath:"#/properties/trusted_proxies/uniqueItems",keyword:"uniqueItems",params:{i: i7, j: j3}}];
return false;
break;
}
indices3[item3] = i7;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/trusted_proxies",schemaPath:"#/properties/trusted_proxies/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.variables !== undefined){
let data26 = data.variables;
const _errs57 = errors;
if(errors === _errs57){
if(Array.isArray(data26)){
var valid12 = true;
const len4 = data26.length;
for(let i8=0; i8<len4; i8++){
let data27 = data26[i8];
const _errs59 = errors;
if(errors === _errs59){
if(typeof data27 === "string"){
if(!pattern9.test(data27)){
validate21.errors = [{instancePath:instancePath+"/variables/" + i8,schemaPath:"#/properties/variables/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z_][A-Za-z0-9_]*$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/variables/" + i8,schemaPath:"#/properties/variables/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid12 = _errs59 === errors;
if(!valid12){
break;
}
}
if(valid12){
let i9 = data26.length;
let j4;
if(i9 > 1){
const indices4 = {};
for(;i9--;){
let item4 = data26[i9];
if(typeof item4 !== "string"){
continue;
}
if(typeof indices4[item4] == "number"){
j4 = indices4[item4];
validate21.errors = [{instancePath:instancePath+"/variables",schemaPath:"#/properties/variables/uniqueItems",keyword:"uniqueItems",params:{i: i9, j: j4}}];
return false;
break;
}
indices4[item4] = i9;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/variables",schemaPath:"#/properties/variables/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs57 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.drain_delay !== undefined){
let data28 = data.drain_delay;
const _errs61 = errors;
if(!fitsUnit(schema32.properties.drain_delay["x-unit"], data28)){
validate21.errors = [{instancePath:instancePath+"/drain_delay",schemaPath:"#/properties/drain_delay/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs61){
if(typeof data28 === "string"){
if(!pattern10.test(data28)){
validate21.errors = [{instancePath:instancePath+"/drain_delay",schemaPath:"#/properties/drain_delay/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/drain_delay",schemaPath:"#/properties/drain_delay/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs61 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.drain_timeout !== undefined){
let data29 = data.drain_timeout;
const _errs63 = errors;
if(!fitsUnit(schema32.properties.drain_timeout["x-unit"], data29)){
validate21.errors = [{instancePath:instancePath+"/drain_timeout",schemaPath:"#/properties/drain_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs63){
if(typeof data29 === "string"){
if(!pattern10.test(data29)){
validate21.errors = [{instancePath:instancePath+"/drain_timeout",schemaPath:"#/properties/drain_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/drain_timeout",schemaPath:"#/properties/drain_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs63 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema36 = {"type":"object","additionalProperties":false,"properties":{"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":86400000,"max":315360000000}},"archive":{"$ref":"#/$defs/archive"}}};
const schema37 = {"type":"object","required":["to"],"additionalProperties":false,"properties":{"to":{"type":"string","format":"x-archive"},"keep":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":86400000,"max":315360000000}},"password":{"type":"string","format":"x-secret"},"ca":{"type":"string","format":"x-secret"},"certificate":{"type":"string","format":"x-secret"},"key":{"type":"string","format":"x-secret"},"token":{"type":"string","format":"x-secret"}}};
const formats42 = formats["x-archive"];
function validate23(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate23.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "keep") || (key0 === "archive"))){
validate23.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.keep !== undefined){
let data0 = data.keep;
const _errs2 = errors;
if(!fitsUnit(schema36.properties.keep["x-unit"], data0)){
validate23.errors = [{instancePath:instancePath+"/keep",schemaPath:"#/properties/keep/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern10.test(data0)){
validate23.errors = [{instancePath:instancePath+"/keep",schemaPath:"#/properties/keep/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/keep",schemaPath:"#/properties/keep/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.archive !== undefined){
let data1 = data.archive;
const _errs4 = errors;
const _errs5 = errors;
if(errors === _errs5){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing0;
if((data1.to === undefined) && (missing0 = "to")){
validate23.errors = [{instancePath:instancePath+"/archive",schemaPath:"#/$defs/archive/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs7 = errors;
for(const key1 in data1){
if(!(((((((key1 === "to") || (key1 === "keep")) || (key1 === "password")) || (key1 === "ca")) || (key1 === "certificate")) || (key1 === "key")) || (key1 === "token"))){
validate23.errors = [{instancePath:instancePath+"/archive",schemaPath:"#/$defs/archive/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs7 === errors){
if(data1.to !== undefined){
let data2 = data1.to;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data2 === "string"){
if(!(formats42.validate(data2))){
validate23.errors = [{instancePath:instancePath+"/archive/to",schemaPath:"#/$defs/archive/properties/to/format",keyword:"format",params:{format: "x-archive"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/to",schemaPath:"#/$defs/archive/properties/to/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs8 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.keep !== undefined){
let data3 = data1.keep;
const _errs10 = errors;
if(!fitsUnit(schema37.properties.keep["x-unit"], data3)){
validate23.errors = [{instancePath:instancePath+"/archive/keep",schemaPath:"#/$defs/archive/properties/keep/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs10){
if(typeof data3 === "string"){
if(!pattern10.test(data3)){
validate23.errors = [{instancePath:instancePath+"/archive/keep",schemaPath:"#/$defs/archive/properties/keep/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/keep",schemaPath:"#/$defs/archive/properties/keep/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs10 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.password !== undefined){
let data4 = data1.password;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data4 === "string"){
if(!(formats10.validate(data4))){
validate23.errors = [{instancePath:instancePath+"/archive/password",schemaPath:"#/$defs/archive/properties/password/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/password",schemaPath:"#/$defs/archive/properties/password/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs12 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.ca !== undefined){
let data5 = data1.ca;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data5 === "string"){
if(!(formats10.validate(data5))){
validate23.errors = [{instancePath:instancePath+"/archive/ca",schemaPath:"#/$defs/archive/properties/ca/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/ca",schemaPath:"#/$defs/archive/properties/ca/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs14 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.certificate !== undefined){
let data6 = data1.certificate;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data6 === "string"){
if(!(formats10.validate(data6))){
validate23.errors = [{instancePath:instancePath+"/archive/certificate",schemaPath:"#/$defs/archive/properties/certificate/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/certificate",schemaPath:"#/$defs/archive/properties/certificate/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.key !== undefined){
let data7 = data1.key;
const _errs18 = errors;
if(errors === _errs18){
if(errors === _errs18){
if(typeof data7 === "string"){
if(!(formats10.validate(data7))){
validate23.errors = [{instancePath:instancePath+"/archive/key",schemaPath:"#/$defs/archive/properties/key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/key",schemaPath:"#/$defs/archive/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs18 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data1.token !== undefined){
let data8 = data1.token;
const _errs20 = errors;
if(errors === _errs20){
if(errors === _errs20){
if(typeof data8 === "string"){
if(!(formats10.validate(data8))){
validate23.errors = [{instancePath:instancePath+"/archive/token",schemaPath:"#/$defs/archive/properties/token/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive/token",schemaPath:"#/$defs/archive/properties/token/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate23.errors = [{instancePath:instancePath+"/archive",schemaPath:"#/$defs/archive/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate23.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate23.errors = vErrors;
return errors === 0;
}
validate23.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema38 = {"type":"object","additionalProperties":false,"properties":{"log":{"type":"boolean"},"path":{"type":"string","minLength":1},"max_size":{"type":["string","integer"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000000,"max":10000000000}},"files":{"$ref":"#/$defs/count"}}};
function validate25(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate25.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "log") || (key0 === "path")) || (key0 === "max_size")) || (key0 === "files"))){
validate25.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.log !== undefined){
const _errs2 = errors;
if(typeof data.log !== "boolean"){
validate25.errors = [{instancePath:instancePath+"/log",schemaPath:"#/properties/log/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.path !== undefined){
let data1 = data.path;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) < 1){
validate25.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate25.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_size !== undefined){
let data2 = data.max_size;
const _errs6 = errors;
if((typeof data2 !== "string") && (!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2))))){
validate25.errors = [{instancePath:instancePath+"/max_size",schemaPath:"#/properties/max_size/type",keyword:"type",params:{type: schema38.properties.max_size.type}}];
return false;
}
if(!fitsUnit(schema38.properties.max_size["x-unit"], data2)){
validate25.errors = [{instancePath:instancePath+"/max_size",schemaPath:"#/properties/max_size/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern14.test(data2)){
validate25.errors = [{instancePath:instancePath+"/max_size",schemaPath:"#/properties/max_size/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.files !== undefined){
let data3 = data.files;
const _errs8 = errors;
const _errs9 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (typeof data3 !== "string")){
validate25.errors = [{instancePath:instancePath+"/files",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data3)){
validate25.errors = [{instancePath:instancePath+"/files",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(!pattern8.test(data3)){
validate25.errors = [{instancePath:instancePath+"/files",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate25.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate25.errors = vErrors;
return errors === 0;
}
validate25.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema41 = {"type":"object","additionalProperties":false,"properties":{"public":{"type":"boolean"},"token":{"type":"string","format":"x-secret"},"otlp":{"$ref":"#/$defs/metrics_otlp"}}};
const schema42 = {"type":"object","additionalProperties":false,"required":["endpoint"],"properties":{"endpoint":{"type":"string","format":"x-base-url"},"every":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":3600000}},"headers":{"type":"array","items":{"$ref":"#/$defs/trace_header"}}}};
const schema43 = {"type":"object","additionalProperties":false,"required":["name","secret"],"properties":{"name":{"$ref":"#/$defs/header_name"},"secret":{"type":"string","format":"x-secret"}}};
const schema44 = {"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"};
const pattern17 = new RegExp("^[A-Za-z0-9][A-Za-z0-9-]{0,63}$", "u");
function validate29(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate29.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.name === undefined) && (missing0 = "name")) || ((data.secret === undefined) && (missing0 = "secret"))){
validate29.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "name") || (key0 === "secret"))){
validate29.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined){
let data0 = data.name;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern17.test(data0)){
validate29.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/header_name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"}}];
return false;
}
}
else {
validate29.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/header_name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.secret !== undefined){
let data1 = data.secret;
const _errs5 = errors;
if(errors === _errs5){
if(errors === _errs5){
if(typeof data1 === "string"){
if(!(formats10.validate(data1))){
validate29.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate29.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate29.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate29.errors = vErrors;
return errors === 0;
}
validate29.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate28(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate28.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.endpoint === undefined) && (missing0 = "endpoint")){
validate28.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "endpoint") || (key0 === "every")) || (key0 === "headers"))){
validate28.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.endpoint !== undefined){
let data0 = data.endpoint;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats2.validate(data0))){
validate28.errors = [{instancePath:instancePath+"/endpoint",schemaPath:"#/properties/endpoint/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate28.errors = [{instancePath:instancePath+"/endpoint",schemaPath:"#/properties/endpoint/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.every !== undefined){
let data1 = data.every;
const _errs4 = errors;
if(!fitsUnit(schema42.properties.every["x-unit"], data1)){
validate28.errors = [{instancePath:instancePath+"/every",schemaPath:"#/properties/every/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern10.test(data1)){
validate28.errors = [{instancePath:instancePath+"/every",schemaPath:"#/properties/every/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate28.errors = [{instancePath:instancePath+"/every",schemaPath:"#/properties/every/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data2 = data.headers;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(!(validate29(data2[i0], {instancePath:instancePath+"/headers/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate29.errors : vErrors.concat(validate29.errors);
errors = vErrors.length;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
else {
validate28.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate28.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate28.errors = vErrors;
return errors === 0;
}
validate28.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate27(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate27.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "public") || (key0 === "token")) || (key0 === "otlp"))){
validate27.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.public !== undefined){
const _errs2 = errors;
if(typeof data.public !== "boolean"){
validate27.errors = [{instancePath:instancePath+"/public",schemaPath:"#/properties/public/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.token !== undefined){
let data1 = data.token;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(!(formats10.validate(data1))){
validate27.errors = [{instancePath:instancePath+"/token",schemaPath:"#/properties/token/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate27.errors = [{instancePath:instancePath+"/token",schemaPath:"#/properties/token/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.otlp !== undefined){
const _errs6 = errors;
if(!(validate28(data.otlp, {instancePath:instancePath+"/otlp",parentData:data,parentDataProperty:"otlp",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate28.errors : vErrors.concat(validate28.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate27.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate27.errors = vErrors;
return errors === 0;
}
validate27.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema45 = {"type":"object","additionalProperties":false,"required":["endpoint"],"properties":{"endpoint":{"type":"string","format":"x-base-url"},"sample":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]+)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"share","min":0,"max":1000000}},"headers":{"type":"array","items":{"$ref":"#/$defs/trace_header"}}}};
const pattern18 = new RegExp("^([0-9]+(\\.[0-9]+)?|.*\\$\\{.+\\}.*)$", "u");
function validate33(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate33.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.endpoint === undefined) && (missing0 = "endpoint")){
validate33.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "endpoint") || (key0 === "sample")) || (key0 === "headers"))){
validate33.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.endpoint !== undefined){
let data0 = data.endpoint;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats2.validate(data0))){
validate33.errors = [{instancePath:instancePath+"/endpoint",schemaPath:"#/properties/endpoint/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate33.errors = [{instancePath:instancePath+"/endpoint",schemaPath:"#/properties/endpoint/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.sample !== undefined){
let data1 = data.sample;
const _errs4 = errors;
if((!((typeof data1 == "number") && (isFinite(data1)))) && (typeof data1 !== "string")){
validate33.errors = [{instancePath:instancePath+"/sample",schemaPath:"#/properties/sample/type",keyword:"type",params:{type: schema45.properties.sample.type}}];
return false;
}
if(!fitsUnit(schema45.properties.sample["x-unit"], data1)){
validate33.errors = [{instancePath:instancePath+"/sample",schemaPath:"#/properties/sample/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern18.test(data1)){
validate33.errors = [{instancePath:instancePath+"/sample",schemaPath:"#/properties/sample/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data2 = data.headers;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(!(validate29(data2[i0], {instancePath:instancePath+"/headers/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate29.errors : vErrors.concat(validate29.errors);
errors = vErrors.length;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate33.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate33.errors = vErrors;
return errors === 0;
}
validate33.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema46 = {"type":"object","additionalProperties":false,"required":["default_plan"],"properties":{"issuer":{"type":"string","format":"x-issuer"},"plan_claim":{"type":"string","minLength":1},"label_claim":{"type":"string","minLength":1},"default_plan":{"$ref":"#/$defs/name"},"token_types":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/-]{0,63}$"}},"admins":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"support":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"viewers":{"type":"array","uniqueItems":true,"items":{"type":"string","pattern":"^acct_[0-9a-f]{40}$"}},"issuers":{"type":"array","minItems":1,"maxItems":20,"items":{"$ref":"#/$defs/service_issuer"}},"client_id":{"type":"string","minLength":1},"console_client_id":{"type":"string","minLength":1}}};
const schema47 = {"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"};
const formats62 = formats["x-issuer"];
const pattern19 = new RegExp("^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "u");
const pattern20 = new RegExp("^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/-]{0,63}$", "u");
const pattern21 = new RegExp("^acct_[0-9a-f]{40}$", "u");
const schema48 = {"type":"object","additionalProperties":false,"required":["issuer","accounts"],"properties":{"issuer":{"type":"string","format":"x-issuer"},"audience":{"type":"string","minLength":1},"accounts":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/service_account"}}}};
const schema49 = {"type":"object","additionalProperties":false,"required":["name","claims","plan"],"properties":{"name":{"$ref":"#/$defs/name"},"claims":{"type":"object","minProperties":1,"maxProperties":10,"additionalProperties":{"type":["string","array"],"pattern":"^[^*]+\\*?$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^[^*]+\\*?$"}}},"account_claim":{"type":"string","minLength":1},"plan":{"$ref":"#/$defs/name"},"limits":{"type":"array","minItems":1,"maxItems":16,"items":{"$ref":"#/$defs/limit_rule"}}}};
const pattern25 = new RegExp("^[^*]+\\*?$", "u");
const schema52 = {"type":"object","additionalProperties":false,"minProperties":1,"properties":{"requests":{"$ref":"#/$defs/limit_count"},"tokens":{"$ref":"#/$defs/limit_count"},"input_tokens":{"$ref":"#/$defs/limit_count"},"output_tokens":{"$ref":"#/$defs/limit_count"},"images":{"$ref":"#/$defs/limit_count"},"seconds":{"$ref":"#/$defs/limit_count"},"usd":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":1000,"max":9000000000000000}},"concurrent":{"$ref":"#/$defs/limit_count"},"per":{"type":"string","format":"x-window","pattern":"^(second|minute|hour|day|week|month|[1-9]d|[1-8][0-9]d|90d)$"},"of":{"enum":["account","key","user","plan","org","everybody"]},"model":{"type":"string","pattern":"^(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}};
const schema53 = {"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000000000000}};
const pattern34 = new RegExp("^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$", "u");
const pattern36 = new RegExp("^(second|minute|hour|day|week|month|[1-9]d|[1-8][0-9]d|90d)$", "u");
const pattern37 = new RegExp("^(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "u");
const formats66 = formats["x-window"];
function validate39(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate39.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length < 1){
validate39.errors = [{instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema52.properties, key0))){
validate39.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.requests !== undefined){
let data0 = data.requests;
const _errs2 = errors;
const _errs3 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (typeof data0 !== "string")){
validate39.errors = [{instancePath:instancePath+"/requests",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data0)){
validate39.errors = [{instancePath:instancePath+"/requests",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern8.test(data0)){
validate39.errors = [{instancePath:instancePath+"/requests",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tokens !== undefined){
let data1 = data.tokens;
const _errs5 = errors;
const _errs6 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (typeof data1 !== "string")){
validate39.errors = [{instancePath:instancePath+"/tokens",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data1)){
validate39.errors = [{instancePath:instancePath+"/tokens",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data1 === "string"){
if(!pattern8.test(data1)){
validate39.errors = [{instancePath:instancePath+"/tokens",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.input_tokens !== undefined){
let data2 = data.input_tokens;
const _errs8 = errors;
const _errs9 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (typeof data2 !== "string")){
validate39.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data2)){
validate39.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs9){
if(typeof data2 === "string"){
if(!pattern8.test(data2)){
validate39.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.output_tokens !== undefined){
let data3 = data.output_tokens;
const _errs11 = errors;
const _errs12 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (typeof data3 !== "string")){
validate39.errors = [{instancePath:instancePath+"/output_tokens",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data3)){
validate39.errors = [{instancePath:instancePath+"/output_tokens",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs12){
if(typeof data3 === "string"){
if(!pattern8.test(data3)){
validate39.errors = [{instancePath:instancePath+"/output_tokens",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.images !== undefined){
let data4 = data.images;
const _errs14 = errors;
const _errs15 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (typeof data4 !== "string")){
validate39.errors = [{instancePath:instancePath+"/images",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data4)){
validate39.errors = [{instancePath:instancePath+"/images",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs15){
if(typeof data4 === "string"){
if(!pattern8.test(data4)){
validate39.errors = [{instancePath:instancePath+"/images",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.seconds !== undefined){
let data5 = data.seconds;
const _errs17 = errors;
const _errs18 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (typeof data5 !== "string")){
validate39.errors = [{instancePath:instancePath+"/seconds",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data5)){
validate39.errors = [{instancePath:instancePath+"/seconds",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs18){
if(typeof data5 === "string"){
if(!pattern8.test(data5)){
validate39.errors = [{instancePath:instancePath+"/seconds",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd !== undefined){
let data6 = data.usd;
const _errs20 = errors;
if((!((typeof data6 == "number") && (isFinite(data6)))) && (typeof data6 !== "string")){
validate39.errors = [{instancePath:instancePath+"/usd",schemaPath:"#/properties/usd/type",keyword:"type",params:{type: schema52.properties.usd.type}}];
return false;
}
if(!fitsUnit(schema52.properties.usd["x-unit"], data6)){
validate39.errors = [{instancePath:instancePath+"/usd",schemaPath:"#/properties/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs20){
if(typeof data6 === "string"){
if(!pattern34.test(data6)){
validate39.errors = [{instancePath:instancePath+"/usd",schemaPath:"#/properties/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.concurrent !== undefined){
let data7 = data.concurrent;
const _errs22 = errors;
const _errs23 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (typeof data7 !== "string")){
validate39.errors = [{instancePath:instancePath+"/concurrent",schemaPath:"#/$defs/limit_count/type",keyword:"type",params:{type: schema53.type}}];
return false;
}
if(!fitsUnit(schema53["x-unit"], data7)){
validate39.errors = [{instancePath:instancePath+"/concurrent",schemaPath:"#/$defs/limit_count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs23){
if(typeof data7 === "string"){
if(!pattern8.test(data7)){
validate39.errors = [{instancePath:instancePath+"/concurrent",schemaPath:"#/$defs/limit_count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.per !== undefined){
let data8 = data.per;
const _errs25 = errors;
if(errors === _errs25){
if(errors === _errs25){
if(typeof data8 === "string"){
if(!pattern36.test(data8)){
validate39.errors = [{instancePath:instancePath+"/per",schemaPath:"#/properties/per/pattern",keyword:"pattern",params:{pattern: "^(second|minute|hour|day|week|month|[1-9]d|[1-8][0-9]d|90d)$"}}];
return false;
}
else {
if(!(formats66.validate(data8))){
validate39.errors = [{instancePath:instancePath+"/per",schemaPath:"#/properties/per/format",keyword:"format",params:{format: "x-window"}}];
return false;
}
}
}
else {
validate39.errors = [{instancePath:instancePath+"/per",schemaPath:"#/properties/per/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.of !== undefined){
let data9 = data.of;
const _errs27 = errors;
if(!((((((data9 === "account") || (data9 === "key")) || (data9 === "user")) || (data9 === "plan")) || (data9 === "org")) || (data9 === "everybody"))){
validate39.errors = [{instancePath:instancePath+"/of",schemaPath:"#/properties/of/enum",keyword:"enum",params:{allowedValues: schema52.properties.of.enum}}];
return false;
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model !== undefined){
let data10 = data.model;
const _errs28 = errors;
if(errors === _errs28){
if(typeof data10 === "string"){
if(!pattern37.test(data10)){
validate39.errors = [{instancePath:instancePath+"/model",schemaPath:"#/properties/model/pattern",keyword:"pattern",params:{pattern: "^(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate39.errors = [{instancePath:instancePath+"/model",schemaPath:"#/properties/model/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate39.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate39.errors = vErrors;
return errors === 0;
}
validate39.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate38(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate38.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.name === undefined) && (missing0 = "name")) || ((data.claims === undefined) && (missing0 = "claims"))) || ((data.plan === undefined) && (missing0 = "plan"))){
validate38.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "name") || (key0 === "claims")) || (key0 === "account_claim")) || (key0 === "plan")) || (key0 === "limits"))){
validate38.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined){
let data0 = data.name;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate38.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate38.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.claims !== undefined){
let data1 = data.claims;
const _errs5 = errors;
if(errors === _errs5){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
if(Object.keys(data1).length > 10){
validate38.errors = [{instancePath:instancePath+"/claims",schemaPath:"#/properties/claims/maxProperties",keyword:"maxProperties",params:{limit: 10}}];
return false;
}
else {
if(Object.keys(data1).length < 1){
validate38.errors = [{instancePath:instancePath+"/claims",schemaPath:"#/properties/claims/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key1 in data1){
let data2 = data1[key1];
const _errs8 = errors;
if((typeof data2 !== "string") && (!(Array.isArray(data2)))){
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/claims/additionalProperties/type",keyword:"type",params:{type: schema49.properties.claims.additionalProperties.type}}];
return false;
}
if(errors === _errs8){
if(typeof data2 === "string"){
if(!pattern25.test(data2)){
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/claims/additionalProperties/pattern",keyword:"pattern",params:{pattern: "^[^*]+\\*?$"}}];
return false;
}
}
if(errors === _errs8){
if(Array.isArray(data2)){
if(data2.length < 1){
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/claims/additionalProperties/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs10 = errors;
if(errors === _errs10){
if(typeof data3 === "string"){
if(!pattern25.test(data3)){
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i0,schemaPath:"#/properties/claims/additionalProperties/items/pattern",keyword:"pattern",params:{pattern: "^[^*]+\\*?$"}}];
return false;
}
}
else {
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i0,schemaPath:"#/properties/claims/additionalProperties/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs10 === errors;
if(!valid3){
break;
}
}
if(valid3){
let i1 = data2.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data2[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate38.errors = [{instancePath:instancePath+"/claims/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/claims/additionalProperties/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
}
var valid2 = _errs8 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate38.errors = [{instancePath:instancePath+"/claims",schemaPath:"#/properties/claims/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.account_claim !== undefined){
let data4 = data.account_claim;
const _errs12 = errors;
if(errors === _errs12){
if(typeof data4 === "string"){
if(func4(data4) < 1){
validate38.errors = [{instancePath:instancePath+"/account_claim",schemaPath:"#/properties/account_claim/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate38.errors = [{instancePath:instancePath+"/account_claim",schemaPath:"#/properties/account_claim/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan !== undefined){
let data5 = data.plan;
const _errs14 = errors;
const _errs15 = errors;
if(errors === _errs15){
if(typeof data5 === "string"){
if(!pattern19.test(data5)){
validate38.errors = [{instancePath:instancePath+"/plan",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate38.errors = [{instancePath:instancePath+"/plan",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limits !== undefined){
let data6 = data.limits;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data6)){
if(data6.length > 16){
validate38.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/maxItems",keyword:"maxItems",params:{limit: 16}}];
return false;
}
else {
if(data6.length < 1){
validate38.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid6 = true;
const len1 = data6.length;
for(let i2=0; i2<len1; i2++){
const _errs19 = errors;
if(!(validate39(data6[i2], {instancePath:instancePath+"/limits/" + i2,parentData:data6,parentDataProperty:i2,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
errors = vErrors.length;
}
var valid6 = _errs19 === errors;
if(!valid6){
break;
}
}
}
}
}
else {
validate38.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate38.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate38.errors = vErrors;
return errors === 0;
}
validate38.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate37(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate37.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.issuer === undefined) && (missing0 = "issuer")) || ((data.accounts === undefined) && (missing0 = "accounts"))){
validate37.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "issuer") || (key0 === "audience")) || (key0 === "accounts"))){
validate37.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.issuer !== undefined){
let data0 = data.issuer;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats62.validate(data0))){
validate37.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/format",keyword:"format",params:{format: "x-issuer"}}];
return false;
}
}
else {
validate37.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.audience !== undefined){
let data1 = data.audience;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) < 1){
validate37.errors = [{instancePath:instancePath+"/audience",schemaPath:"#/properties/audience/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate37.errors = [{instancePath:instancePath+"/audience",schemaPath:"#/properties/audience/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accounts !== undefined){
let data2 = data.accounts;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
if(data2.length > 100){
validate37.errors = [{instancePath:instancePath+"/accounts",schemaPath:"#/properties/accounts/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data2.length < 1){
validate37.errors = [{instancePath:instancePath+"/accounts",schemaPath:"#/properties/accounts/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs8 = errors;
if(!(validate38(data2[i0], {instancePath:instancePath+"/accounts/" + i0,parentData:data2,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate38.errors : vErrors.concat(validate38.errors);
errors = vErrors.length;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate37.errors = [{instancePath:instancePath+"/accounts",schemaPath:"#/properties/accounts/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate37.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate37.errors = vErrors;
return errors === 0;
}
validate37.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate36(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate36.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.default_plan === undefined) && (missing0 = "default_plan")){
validate36.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema46.properties, key0))){
validate36.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.issuer !== undefined){
let data0 = data.issuer;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats62.validate(data0))){
validate36.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/format",keyword:"format",params:{format: "x-issuer"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/issuer",schemaPath:"#/properties/issuer/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan_claim !== undefined){
let data1 = data.plan_claim;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) < 1){
validate36.errors = [{instancePath:instancePath+"/plan_claim",schemaPath:"#/properties/plan_claim/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/plan_claim",schemaPath:"#/properties/plan_claim/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.label_claim !== undefined){
let data2 = data.label_claim;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data2 === "string"){
if(func4(data2) < 1){
validate36.errors = [{instancePath:instancePath+"/label_claim",schemaPath:"#/properties/label_claim/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/label_claim",schemaPath:"#/properties/label_claim/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.default_plan !== undefined){
let data3 = data.default_plan;
const _errs8 = errors;
const _errs9 = errors;
if(errors === _errs9){
if(typeof data3 === "string"){
if(!pattern19.test(data3)){
validate36.errors = [{instancePath:instancePath+"/default_plan",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/default_plan",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.token_types !== undefined){
let data4 = data.token_types;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data4)){
if(data4.length < 1){
validate36.errors = [{instancePath:instancePath+"/token_types",schemaPath:"#/properties/token_types/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs13 = errors;
if(errors === _errs13){
if(typeof data5 === "string"){
if(!pattern20.test(data5)){
validate36.errors = [{instancePath:instancePath+"/token_types/" + i0,schemaPath:"#/properties/token_types/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/-]{0,63}$"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/token_types/" + i0,schemaPath:"#/properties/token_types/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs13 === errors;
if(!valid2){
break;
}
}
if(valid2){
let i1 = data4.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data4[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate36.errors = [{instancePath:instancePath+"/token_types",schemaPath:"#/properties/token_types/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/token_types",schemaPath:"#/properties/token_types/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.admins !== undefined){
let data6 = data.admins;
const _errs15 = errors;
if(errors === _errs15){
if(Array.isArray(data6)){
var valid4 = true;
const len1 = data6.length;
for(let i2=0; i2<len1; i2++){
let data7 = data6[i2];
const _errs17 = errors;
if(errors === _errs17){
if(typeof data7 === "string"){
if(!pattern21.test(data7)){
validate36.errors = [{instancePath:instancePath+"/admins/" + i2,schemaPath:"#/properties/admins/items/pattern",keyword:"pattern",params:{pattern: "^acct_[0-9a-f]{40}$"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/admins/" + i2,schemaPath:"#/properties/admins/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid4 = _errs17 === errors;
if(!valid4){
break;
}
}
if(valid4){
let i3 = data6.length;
let j1;
if(i3 > 1){
const indices1 = {};
for(;i3--;){
let item1 = data6[i3];
if(typeof item1 !== "string"){
continue;
}
if(typeof indices1[item1] == "number"){
j1 = indices1[item1];
validate36.errors = [{instancePath:instancePath+"/admins",schemaPath:"#/properties/admins/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break;
}
indices1[item1] = i3;
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/admins",schemaPath:"#/properties/admins/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.support !== undefined){
let data8 = data.support;
const _errs19 = errors;
if(errors === _errs19){
if(Array.isArray(data8)){
var valid6 = true;
const len2 = data8.length;
for(let i4=0; i4<len2; i4++){
let data9 = data8[i4];
const _errs21 = errors;
if(errors === _errs21){
if(typeof data9 === "string"){
if(!pattern21.test(data9)){
validate36.errors = [{instancePath:instancePath+"/support/" + i4,schemaPath:"#/properties/support/items/pattern",keyword:"pattern",params:{pattern: "^acct_[0-9a-f]{40}$"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/support/" + i4,schemaPath:"#/properties/support/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid6 = _errs21 === errors;
if(!valid6){
break;
}
}
if(valid6){
let i5 = data8.length;
let j2;
if(i5 > 1){
const indices2 = {};
for(;i5--;){
let item2 = data8[i5];
if(typeof item2 !== "string"){
continue;
}
if(typeof indices2[item2] == "number"){
j2 = indices2[item2];
validate36.errors = [{instancePath:instancePath+"/support",schemaPath:"#/properties/support/uniqueItems",keyword:"uniqueItems",params:{i: i5, j: j2}}];
return false;
break;
}
indices2[item2] = i5;
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/support",schemaPath:"#/properties/support/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.viewers !== undefined){
let data10 = data.viewers;
const _errs23 = errors;
if(errors === _errs23){
if(Array.isArray(data10)){
var valid8 = true;
const len3 = data10.length;
for(let i6=0; i6<len3; i6++){
let data11 = data10[i6];
const _errs25 = errors;
if(errors === _errs25){
if(typeof data11 === "string"){
if(!pattern21.test(data11)){
validate36.errors = [{instancePath:instancePath+"/viewers/" + i6,schemaPath:"#/properties/viewers/items/pattern",keyword:"pattern",params:{pattern: "^acct_[0-9a-f]{40}$"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/viewers/" + i6,schemaPath:"#/properties/viewers/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid8 = _errs25 === errors;
if(!valid8){
break;
}
}
if(valid8){
let i7 = data10.length;
let j3;
if(i7 > 1){
const indices3 = {};
for(;i7--;){
let item3 = data10[i7];
if(typeof item3 !== "string"){
continue;
}
if(typeof indices3[item3] == "number"){
j3 = indices3[item3];
validate36.errors = [{instancePath:instancePath+"/viewers",schemaPath:"#/properties/viewers/uniqueItems",keyword:"uniqueItems",params:{i: i7, j: j3}}];
return false;
break;
}
indices3[item3] = i7;
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/viewers",schemaPath:"#/properties/viewers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.issuers !== undefined){
let data12 = data.issuers;
const _errs27 = errors;
if(errors === _errs27){
if(Array.isArray(data12)){
if(data12.length > 20){
validate36.errors = [{instancePath:instancePath+"/issuers",schemaPath:"#/properties/issuers/maxItems",keyword:"maxItems",params:{limit: 20}}];
return false;
}
else {
if(data12.length < 1){
validate36.errors = [{instancePath:instancePath+"/issuers",schemaPath:"#/properties/issuers/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid10 = true;
const len4 = data12.length;
for(let i8=0; i8<len4; i8++){
const _errs29 = errors;
if(!(validate37(data12[i8], {instancePath:instancePath+"/issuers/" + i8,parentData:data12,parentDataProperty:i8,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate37.errors : vErrors.concat(validate37.errors);
errors = vErrors.length;
}
var valid10 = _errs29 === errors;
if(!valid10){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/issuers",schemaPath:"#/properties/issuers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.client_id !== undefined){
let data14 = data.client_id;
const _errs30 = errors;
if(errors === _errs30){
if(typeof data14 === "string"){
if(func4(data14) < 1){
validate36.errors = [{instancePath:instancePath+"/client_id",schemaPath:"#/properties/client_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/client_id",schemaPath:"#/properties/client_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.console_client_id !== undefined){
let data15 = data.console_client_id;
const _errs32 = errors;
if(errors === _errs32){
if(typeof data15 === "string"){
if(func4(data15) < 1){
validate36.errors = [{instancePath:instancePath+"/console_client_id",schemaPath:"#/properties/console_client_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/console_client_id",schemaPath:"#/properties/console_client_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate36.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate36.errors = vErrors;
return errors === 0;
}
validate36.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema60 = {"type":"object","additionalProperties":false,"required":["plan","usd_per_day_total"],"properties":{"plan":{"$ref":"#/$defs/name"},"mint_per_ip_hour":{"$ref":"#/$defs/count"},"mint_per_net_hour":{"$ref":"#/$defs/count"},"usd_per_day_total":{"$ref":"#/$defs/usd"},"secret":{"type":"string","format":"x-secret"},"former_secret":{"type":"string","format":"x-secret"}}};
const schema64 = {"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":9000000000000000}};
function validate44(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate44.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.plan === undefined) && (missing0 = "plan")) || ((data.usd_per_day_total === undefined) && (missing0 = "usd_per_day_total"))){
validate44.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "plan") || (key0 === "mint_per_ip_hour")) || (key0 === "mint_per_net_hour")) || (key0 === "usd_per_day_total")) || (key0 === "secret")) || (key0 === "former_secret"))){
validate44.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.plan !== undefined){
let data0 = data.plan;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate44.errors = [{instancePath:instancePath+"/plan",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate44.errors = [{instancePath:instancePath+"/plan",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.mint_per_ip_hour !== undefined){
let data1 = data.mint_per_ip_hour;
const _errs5 = errors;
const _errs6 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (typeof data1 !== "string")){
validate44.errors = [{instancePath:instancePath+"/mint_per_ip_hour",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data1)){
validate44.errors = [{instancePath:instancePath+"/mint_per_ip_hour",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data1 === "string"){
if(!pattern8.test(data1)){
validate44.errors = [{instancePath:instancePath+"/mint_per_ip_hour",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.mint_per_net_hour !== undefined){
let data2 = data.mint_per_net_hour;
const _errs8 = errors;
const _errs9 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (typeof data2 !== "string")){
validate44.errors = [{instancePath:instancePath+"/mint_per_net_hour",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data2)){
validate44.errors = [{instancePath:instancePath+"/mint_per_net_hour",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs9){
if(typeof data2 === "string"){
if(!pattern8.test(data2)){
validate44.errors = [{instancePath:instancePath+"/mint_per_net_hour",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_day_total !== undefined){
let data3 = data.usd_per_day_total;
const _errs11 = errors;
const _errs12 = errors;
if((!((typeof data3 == "number") && (isFinite(data3)))) && (typeof data3 !== "string")){
validate44.errors = [{instancePath:instancePath+"/usd_per_day_total",schemaPath:"#/$defs/usd/type",keyword:"type",params:{type: schema64.type}}];
return false;
}
if(!fitsUnit(schema64["x-unit"], data3)){
validate44.errors = [{instancePath:instancePath+"/usd_per_day_total",schemaPath:"#/$defs/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs12){
if(typeof data3 === "string"){
if(!pattern34.test(data3)){
validate44.errors = [{instancePath:instancePath+"/usd_per_day_total",schemaPath:"#/$defs/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.secret !== undefined){
let data4 = data.secret;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data4 === "string"){
if(!(formats10.validate(data4))){
validate44.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate44.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.former_secret !== undefined){
let data5 = data.former_secret;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data5 === "string"){
if(!(formats10.validate(data5))){
validate44.errors = [{instancePath:instancePath+"/former_secret",schemaPath:"#/properties/former_secret/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate44.errors = [{instancePath:instancePath+"/former_secret",schemaPath:"#/properties/former_secret/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate44.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate44.errors = vErrors;
return errors === 0;
}
validate44.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema66 = {"type":"object","additionalProperties":false,"properties":{"connect_timeout":{"$ref":"#/$defs/connect_timeout"},"headers_timeout":{"$ref":"#/$defs/headers_timeout"},"first_content_timeout":{"$ref":"#/$defs/first_content_timeout"},"idle_timeout":{"$ref":"#/$defs/idle_timeout"},"stream_timeout":{"$ref":"#/$defs/stream_timeout"},"answer_timeout":{"$ref":"#/$defs/answer_timeout"},"queue_timeout":{"$ref":"#/$defs/queue_timeout"},"wait_for_retry_after":{"$ref":"#/$defs/wait_for_retry_after"},"eject":{"$ref":"#/$defs/eject"},"probe":{"$ref":"#/$defs/probe"}}};
const schema67 = {"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1,"max":86400000}};
const schema74 = {"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":0,"max":60000}};
const schema78 = {"type":["boolean","object"],"additionalProperties":false,"properties":{"path":{"type":"string","pattern":"^/[!-~]*$"},"every":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}}}};
const pattern52 = new RegExp("^([0-9]+(\\.[0-9]+)?(ms|s|m)|.*\\$\\{.+\\}.*)$", "u");
const pattern55 = new RegExp("^/[!-~]*$", "u");
const schema75 = {"type":"object","additionalProperties":false,"properties":{"after":{"$ref":"#/$defs/count"},"for":{"$ref":"#/$defs/duration"}}};
function validate47(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate47.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "after") || (key0 === "for"))){
validate47.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.after !== undefined){
let data0 = data.after;
const _errs2 = errors;
const _errs3 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (typeof data0 !== "string")){
validate47.errors = [{instancePath:instancePath+"/after",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data0)){
validate47.errors = [{instancePath:instancePath+"/after",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern8.test(data0)){
validate47.errors = [{instancePath:instancePath+"/after",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.for !== undefined){
let data1 = data.for;
const _errs5 = errors;
const _errs6 = errors;
if(!fitsUnit(schema67["x-unit"], data1)){
validate47.errors = [{instancePath:instancePath+"/for",schemaPath:"#/$defs/duration/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data1 === "string"){
if(!pattern10.test(data1)){
validate47.errors = [{instancePath:instancePath+"/for",schemaPath:"#/$defs/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate47.errors = [{instancePath:instancePath+"/for",schemaPath:"#/$defs/duration/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate47.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate47.errors = vErrors;
return errors === 0;
}
validate47.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate46(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate46.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema66.properties, key0))){
validate46.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.connect_timeout !== undefined){
let data0 = data.connect_timeout;
const _errs2 = errors;
const _errs3 = errors;
if(!fitsUnit(schema67["x-unit"], data0)){
validate46.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern10.test(data0)){
validate46.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers_timeout !== undefined){
let data1 = data.headers_timeout;
const _errs5 = errors;
const _errs6 = errors;
if(!fitsUnit(schema67["x-unit"], data1)){
validate46.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data1 === "string"){
if(!pattern10.test(data1)){
validate46.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.first_content_timeout !== undefined){
let data2 = data.first_content_timeout;
const _errs8 = errors;
const _errs9 = errors;
if(!fitsUnit(schema67["x-unit"], data2)){
validate46.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs9){
if(typeof data2 === "string"){
if(!pattern10.test(data2)){
validate46.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idle_timeout !== undefined){
let data3 = data.idle_timeout;
const _errs11 = errors;
const _errs12 = errors;
if(!fitsUnit(schema67["x-unit"], data3)){
validate46.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs12){
if(typeof data3 === "string"){
if(!pattern10.test(data3)){
validate46.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.stream_timeout !== undefined){
let data4 = data.stream_timeout;
const _errs14 = errors;
const _errs15 = errors;
if(!fitsUnit(schema67["x-unit"], data4)){
validate46.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs15){
if(typeof data4 === "string"){
if(!pattern10.test(data4)){
validate46.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.answer_timeout !== undefined){
let data5 = data.answer_timeout;
const _errs17 = errors;
const _errs18 = errors;
if(!fitsUnit(schema67["x-unit"], data5)){
validate46.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs18){
if(typeof data5 === "string"){
if(!pattern10.test(data5)){
validate46.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.queue_timeout !== undefined){
let data6 = data.queue_timeout;
const _errs20 = errors;
const _errs21 = errors;
if(!fitsUnit(schema67["x-unit"], data6)){
validate46.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs21){
if(typeof data6 === "string"){
if(!pattern10.test(data6)){
validate46.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.wait_for_retry_after !== undefined){
let data7 = data.wait_for_retry_after;
const _errs23 = errors;
const _errs24 = errors;
if(!fitsUnit(schema74["x-unit"], data7)){
validate46.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs24){
if(typeof data7 === "string"){
if(!pattern52.test(data7)){
validate46.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.eject !== undefined){
const _errs26 = errors;
if(!(validate47(data.eject, {instancePath:instancePath+"/eject",parentData:data,parentDataProperty:"eject",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate47.errors : vErrors.concat(validate47.errors);
errors = vErrors.length;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.probe !== undefined){
let data9 = data.probe;
const _errs27 = errors;
const _errs28 = errors;
if((typeof data9 !== "boolean") && (!(data9 && typeof data9 == "object" && !Array.isArray(data9)))){
validate46.errors = [{instancePath:instancePath+"/probe",schemaPath:"#/$defs/probe/type",keyword:"type",params:{type: schema78.type}}];
return false;
}
if(errors === _errs28){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
const _errs30 = errors;
for(const key1 in data9){
if(!((key1 === "path") || (key1 === "every"))){
validate46.errors = [{instancePath:instancePath+"/probe",schemaPath:"#/$defs/probe/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs30 === errors){
if(data9.path !== undefined){
let data10 = data9.path;
const _errs31 = errors;
if(errors === _errs31){
if(typeof data10 === "string"){
if(!pattern55.test(data10)){
validate46.errors = [{instancePath:instancePath+"/probe/path",schemaPath:"#/$defs/probe/properties/path/pattern",keyword:"pattern",params:{pattern: "^/[!-~]*$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/probe/path",schemaPath:"#/$defs/probe/properties/path/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid10 = _errs31 === errors;
}
else {
var valid10 = true;
}
if(valid10){
if(data9.every !== undefined){
let data11 = data9.every;
const _errs33 = errors;
if(!fitsUnit(schema78.properties.every["x-unit"], data11)){
validate46.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs33){
if(typeof data11 === "string"){
if(!pattern10.test(data11)){
validate46.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate46.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid10 = _errs33 === errors;
}
else {
var valid10 = true;
}
}
}
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate46.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate46.errors = vErrors;
return errors === 0;
}
validate46.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema79 = {"type":"object","additionalProperties":false,"properties":{"body":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":1000000000}},"body_memory":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":2000,"max":1000000000000}},"embedding_batch":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":2048}},"image_sizes":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","format":"x-image-size"}},"headers_timeout":{"$ref":"#/$defs/patience"},"request_timeout":{"$ref":"#/$defs/patience"},"idle_timeout":{"$ref":"#/$defs/patience"},"connections":{"$ref":"#/$defs/count"},"connections_per_ip":{"$ref":"#/$defs/count"},"keys_per_account":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000}},"tool_rounds":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":2,"max":32}},"tool_time":{"$ref":"#/$defs/patience"},"shed_load":{"type":"boolean"}}};
const schema80 = {"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":3600000}};
const pattern59 = new RegExp("^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$", "u");
const formats76 = formats["x-image-size"];
function validate50(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate50.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema79.properties, key0))){
validate50.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.body !== undefined){
let data0 = data.body;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (typeof data0 !== "string")){
validate50.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/type",keyword:"type",params:{type: schema79.properties.body.type}}];
return false;
}
if(!fitsUnit(schema79.properties.body["x-unit"], data0)){
validate50.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern14.test(data0)){
validate50.errors = [{instancePath:instancePath+"/body",schemaPath:"#/properties/body/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.body_memory !== undefined){
let data1 = data.body_memory;
const _errs4 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (typeof data1 !== "string")){
validate50.errors = [{instancePath:instancePath+"/body_memory",schemaPath:"#/properties/body_memory/type",keyword:"type",params:{type: schema79.properties.body_memory.type}}];
return false;
}
if(!fitsUnit(schema79.properties.body_memory["x-unit"], data1)){
validate50.errors = [{instancePath:instancePath+"/body_memory",schemaPath:"#/properties/body_memory/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern14.test(data1)){
validate50.errors = [{instancePath:instancePath+"/body_memory",schemaPath:"#/properties/body_memory/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.embedding_batch !== undefined){
let data2 = data.embedding_batch;
const _errs6 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (typeof data2 !== "string")){
validate50.errors = [{instancePath:instancePath+"/embedding_batch",schemaPath:"#/properties/embedding_batch/type",keyword:"type",params:{type: schema79.properties.embedding_batch.type}}];
return false;
}
if(!fitsUnit(schema79.properties.embedding_batch["x-unit"], data2)){
validate50.errors = [{instancePath:instancePath+"/embedding_batch",schemaPath:"#/properties/embedding_batch/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern59.test(data2)){
validate50.errors = [{instancePath:instancePath+"/embedding_batch",schemaPath:"#/properties/embedding_batch/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.image_sizes !== undefined){
let data3 = data.image_sizes;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data3)){
if(data3.length < 1){
validate50.errors = [{instancePath:instancePath+"/image_sizes",schemaPath:"#/properties/image_sizes/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats76.validate(data4))){
validate50.errors = [{instancePath:instancePath+"/image_sizes/" + i0,schemaPath:"#/properties/image_sizes/items/format",keyword:"format",params:{format: "x-image-size"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/image_sizes/" + i0,schemaPath:"#/properties/image_sizes/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs10 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data3.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data3[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate50.errors = [{instancePath:instancePath+"/image_sizes",schemaPath:"#/properties/image_sizes/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/image_sizes",schemaPath:"#/properties/image_sizes/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers_timeout !== undefined){
let data5 = data.headers_timeout;
const _errs12 = errors;
const _errs13 = errors;
if(!fitsUnit(schema80["x-unit"], data5)){
validate50.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/patience/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs13){
if(typeof data5 === "string"){
if(!pattern10.test(data5)){
validate50.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/patience/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/patience/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.request_timeout !== undefined){
let data6 = data.request_timeout;
const _errs15 = errors;
const _errs16 = errors;
if(!fitsUnit(schema80["x-unit"], data6)){
validate50.errors = [{instancePath:instancePath+"/request_timeout",schemaPath:"#/$defs/patience/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data6 === "string"){
if(!pattern10.test(data6)){
validate50.errors = [{instancePath:instancePath+"/request_timeout",schemaPath:"#/$defs/patience/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/request_timeout",schemaPath:"#/$defs/patience/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idle_timeout !== undefined){
let data7 = data.idle_timeout;
const _errs18 = errors;
const _errs19 = errors;
if(!fitsUnit(schema80["x-unit"], data7)){
validate50.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/patience/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs19){
if(typeof data7 === "string"){
if(!pattern10.test(data7)){
validate50.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/patience/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/patience/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.connections !== undefined){
let data8 = data.connections;
const _errs21 = errors;
const _errs22 = errors;
if((!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))) && (typeof data8 !== "string")){
validate50.errors = [{instancePath:instancePath+"/connections",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data8)){
validate50.errors = [{instancePath:instancePath+"/connections",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs22){
if(typeof data8 === "string"){
if(!pattern8.test(data8)){
validate50.errors = [{instancePath:instancePath+"/connections",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.connections_per_ip !== undefined){
let data9 = data.connections_per_ip;
const _errs24 = errors;
const _errs25 = errors;
if((!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))) && (typeof data9 !== "string")){
validate50.errors = [{instancePath:instancePath+"/connections_per_ip",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data9)){
validate50.errors = [{instancePath:instancePath+"/connections_per_ip",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs25){
if(typeof data9 === "string"){
if(!pattern8.test(data9)){
validate50.errors = [{instancePath:instancePath+"/connections_per_ip",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.keys_per_account !== undefined){
let data10 = data.keys_per_account;
const _errs27 = errors;
if((!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))) && (typeof data10 !== "string")){
validate50.errors = [{instancePath:instancePath+"/keys_per_account",schemaPath:"#/properties/keys_per_account/type",keyword:"type",params:{type: schema79.properties.keys_per_account.type}}];
return false;
}
if(!fitsUnit(schema79.properties.keys_per_account["x-unit"], data10)){
validate50.errors = [{instancePath:instancePath+"/keys_per_account",schemaPath:"#/properties/keys_per_account/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs27){
if(typeof data10 === "string"){
if(!pattern59.test(data10)){
validate50.errors = [{instancePath:instancePath+"/keys_per_account",schemaPath:"#/properties/keys_per_account/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tool_rounds !== undefined){
let data11 = data.tool_rounds;
const _errs29 = errors;
if((!(((typeof data11 == "number") && (!(data11 % 1) && !isNaN(data11))) && (isFinite(data11)))) && (typeof data11 !== "string")){
validate50.errors = [{instancePath:instancePath+"/tool_rounds",schemaPath:"#/properties/tool_rounds/type",keyword:"type",params:{type: schema79.properties.tool_rounds.type}}];
return false;
}
if(!fitsUnit(schema79.properties.tool_rounds["x-unit"], data11)){
validate50.errors = [{instancePath:instancePath+"/tool_rounds",schemaPath:"#/properties/tool_rounds/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs29){
if(typeof data11 === "string"){
if(!pattern59.test(data11)){
validate50.errors = [{instancePath:instancePath+"/tool_rounds",schemaPath:"#/properties/tool_rounds/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs29 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tool_time !== undefined){
let data12 = data.tool_time;
const _errs31 = errors;
const _errs32 = errors;
if(!fitsUnit(schema80["x-unit"], data12)){
validate50.errors = [{instancePath:instancePath+"/tool_time",schemaPath:"#/$defs/patience/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs32){
if(typeof data12 === "string"){
if(!pattern10.test(data12)){
validate50.errors = [{instancePath:instancePath+"/tool_time",schemaPath:"#/$defs/patience/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/tool_time",schemaPath:"#/$defs/patience/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.shed_load !== undefined){
const _errs34 = errors;
if(typeof data.shed_load !== "boolean"){
validate50.errors = [{instancePath:instancePath+"/shed_load",schemaPath:"#/properties/shed_load/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate50.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate50.errors = vErrors;
return errors === 0;
}
validate50.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema87 = {"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/plan"}};
const schema89 = {"type":"object","additionalProperties":false,"required":["models","rpm","tpm","monthly_usd"],"properties":{"models":{"type":["array","string"],"pattern":"^all$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!all$)(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}},"tools":{"type":["array","string"],"pattern":"^all$","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!all$)[a-z][a-z0-9_]{0,46}$"}},"rpm":{"$ref":"#/$defs/count"},"tpm":{"$ref":"#/$defs/count"},"per_day":{"$ref":"#/$defs/count"},"max_concurrent":{"$ref":"#/$defs/count"},"monthly_usd":{"$ref":"#/$defs/usd"},"limits":{"type":"array","minItems":1,"maxItems":64,"items":{"$ref":"#/$defs/limit_rule"}},"overage":{"type":["boolean","object"],"additionalProperties":false,"required":["cap_usd"],"properties":{"cap_usd":{"$ref":"#/$defs/usd"}}},"commit":{"$ref":"#/$defs/commit"}}};
const schema96 = {"enum":["first_content","complete"]};
const pattern69 = new RegExp("^all$", "u");
const pattern70 = new RegExp("^(?!all$)(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", "u");
const pattern72 = new RegExp("^(?!all$)[a-z][a-z0-9_]{0,46}$", "u");
function validate53(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate53.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.models === undefined) && (missing0 = "models")) || ((data.rpm === undefined) && (missing0 = "rpm"))) || ((data.tpm === undefined) && (missing0 = "tpm"))) || ((data.monthly_usd === undefined) && (missing0 = "monthly_usd"))){
validate53.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema89.properties, key0))){
validate53.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.models !== undefined){
let data0 = data.models;
const _errs2 = errors;
if((!(Array.isArray(data0))) && (typeof data0 !== "string")){
validate53.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/type",keyword:"type",params:{type: schema89.properties.models.type}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern69.test(data0)){
validate53.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/pattern",keyword:"pattern",params:{pattern: "^all$"}}];
return false;
}
}
if(errors === _errs2){
if(Array.isArray(data0)){
if(data0.length < 1){
validate53.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern70.test(data1)){
validate53.errors = [{instancePath:instancePath+"/models/" + i0,schemaPath:"#/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^(?!all$)(tier:)?[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate53.errors = [{instancePath:instancePath+"/models/" + i0,schemaPath:"#/properties/models/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data0.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data0[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate53.errors = [{instancePath:instancePath+"/models",schemaPath:"#/properties/models/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tools !== undefined){
let data2 = data.tools;
const _errs6 = errors;
if((!(Array.isArray(data2))) && (typeof data2 !== "string")){
validate53.errors = [{instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/type",keyword:"type",params:{type: schema89.properties.tools.type}}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern69.test(data2)){
validate53.errors = [{instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/pattern",keyword:"pattern",params:{pattern: "^all$"}}];
return false;
}
}
if(errors === _errs6){
if(Array.isArray(data2)){
if(data2.length < 1){
validate53.errors = [{instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data2.length;
for(let i2=0; i2<len1; i2++){
let data3 = data2[i2];
const _errs8 = errors;
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern72.test(data3)){
validate53.errors = [{instancePath:instancePath+"/tools/" + i2,schemaPath:"#/properties/tools/items/pattern",keyword:"pattern",params:{pattern: "^(?!all$)[a-z][a-z0-9_]{0,46}$"}}];
return false;
}
}
else {
validate53.errors = [{instancePath:instancePath+"/tools/" + i2,schemaPath:"#/properties/tools/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs8 === errors;
if(!valid3){
break;
}
}
if(valid3){
let i3 = data2.length;
let j1;
if(i3 > 1){
const indices1 = {};
for(;i3--;){
let item1 = data2[i3];
if(typeof item1 !== "string"){
continue;
}
if(typeof indices1[item1] == "number"){
j1 = indices1[item1];
validate53.errors = [{instancePath:instancePath+"/tools",schemaPath:"#/properties/tools/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break;
}
indices1[item1] = i3;
}
}
}
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rpm !== undefined){
let data4 = data.rpm;
const _errs10 = errors;
const _errs11 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (typeof data4 !== "string")){
validate53.errors = [{instancePath:instancePath+"/rpm",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data4)){
validate53.errors = [{instancePath:instancePath+"/rpm",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs11){
if(typeof data4 === "string"){
if(!pattern8.test(data4)){
validate53.errors = [{instancePath:instancePath+"/rpm",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tpm !== undefined){
let data5 = data.tpm;
const _errs13 = errors;
const _errs14 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (typeof data5 !== "string")){
validate53.errors = [{instancePath:instancePath+"/tpm",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data5)){
validate53.errors = [{instancePath:instancePath+"/tpm",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs14){
if(typeof data5 === "string"){
if(!pattern8.test(data5)){
validate53.errors = [{instancePath:instancePath+"/tpm",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.per_day !== undefined){
let data6 = data.per_day;
const _errs16 = errors;
const _errs17 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate53.errors = [{instancePath:instancePath+"/per_day",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data6)){
validate53.errors = [{instancePath:instancePath+"/per_day",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs17){
if(typeof data6 === "string"){
if(!pattern8.test(data6)){
validate53.errors = [{instancePath:instancePath+"/per_day",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_concurrent !== undefined){
let data7 = data.max_concurrent;
const _errs19 = errors;
const _errs20 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (typeof data7 !== "string")){
validate53.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data7)){
validate53.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs20){
if(typeof data7 === "string"){
if(!pattern8.test(data7)){
validate53.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.monthly_usd !== undefined){
let data8 = data.monthly_usd;
const _errs22 = errors;
const _errs23 = errors;
if((!((typeof data8 == "number") && (isFinite(data8)))) && (typeof data8 !== "string")){
validate53.errors = [{instancePath:instancePath+"/monthly_usd",schemaPath:"#/$defs/usd/type",keyword:"type",params:{type: schema64.type}}];
return false;
}
if(!fitsUnit(schema64["x-unit"], data8)){
validate53.errors = [{instancePath:instancePath+"/monthly_usd",schemaPath:"#/$defs/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs23){
if(typeof data8 === "string"){
if(!pattern34.test(data8)){
validate53.errors = [{instancePath:instancePath+"/monthly_usd",schemaPath:"#/$defs/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limits !== undefined){
let data9 = data.limits;
const _errs25 = errors;
if(errors === _errs25){
if(Array.isArray(data9)){
if(data9.length > 64){
validate53.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/maxItems",keyword:"maxItems",params:{limit: 64}}];
return false;
}
else {
if(data9.length < 1){
validate53.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid10 = true;
const len2 = data9.length;
for(let i4=0; i4<len2; i4++){
const _errs27 = errors;
if(!(validate39(data9[i4], {instancePath:instancePath+"/limits/" + i4,parentData:data9,parentDataProperty:i4,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate39.errors : vErrors.concat(validate39.errors);
errors = vErrors.length;
}
var valid10 = _errs27 === errors;
if(!valid10){
break;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/limits",schemaPath:"#/properties/limits/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs25 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.overage !== undefined){
let data11 = data.overage;
const _errs28 = errors;
if((typeof data11 !== "boolean") && (!(data11 && typeof data11 == "object" && !Array.isArray(data11)))){
validate53.errors = [{instancePath:instancePath+"/overage",schemaPath:"#/properties/overage/type",keyword:"type",params:{type: schema89.properties.overage.type}}];
return false;
}
if(errors === _errs28){
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
let missing1;
if((data11.cap_usd === undefined) && (missing1 = "cap_usd")){
validate53.errors = [{instancePath:instancePath+"/overage",schemaPath:"#/properties/overage/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs30 = errors;
for(const key1 in data11){
if(!(key1 === "cap_usd")){
validate53.errors = [{instancePath:instancePath+"/overage",schemaPath:"#/properties/overage/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs30 === errors){
if(data11.cap_usd !== undefined){
let data12 = data11.cap_usd;
const _errs32 = errors;
if((!((typeof data12 == "number") && (isFinite(data12)))) && (typeof data12 !== "string")){
validate53.errors = [{instancePath:instancePath+"/overage/cap_usd",schemaPath:"#/$defs/usd/type",keyword:"type",params:{type: schema64.type}}];
return false;
}
if(!fitsUnit(schema64["x-unit"], data12)){
validate53.errors = [{instancePath:instancePath+"/overage/cap_usd",schemaPath:"#/$defs/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs32){
if(typeof data12 === "string"){
if(!pattern34.test(data12)){
validate53.errors = [{instancePath:instancePath+"/overage/cap_usd",schemaPath:"#/$defs/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
}
}
}
}
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.commit !== undefined){
let data13 = data.commit;
const _errs34 = errors;
if(!((data13 === "first_content") || (data13 === "complete"))){
validate53.errors = [{instancePath:instancePath+"/commit",schemaPath:"#/$defs/commit/enum",keyword:"enum",params:{allowedValues: schema96.enum}}];
return false;
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate53.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate53.errors = vErrors;
return errors === 0;
}
validate53.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate52(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate52.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate52.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate53(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate52.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate52.errors = vErrors;
return errors === 0;
}
validate52.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema97 = {"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/model"}};
const schema99 = {"type":"object","required":["kind"],"discriminator":{"propertyName":"kind"},"oneOf":[{"$ref":"#/$defs/chat_model"},{"$ref":"#/$defs/embedding_model"},{"$ref":"#/$defs/image_model"},{"$ref":"#/$defs/passthrough_model"}]};
const schema100 = {"type":"object","additionalProperties":false,"required":["kind","tier","serve","context","usd_per_1m"],"properties":{"kind":{"const":"chat"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"context":{"$ref":"#/$defs/tokens"},"max_output":{"$ref":"#/$defs/tokens"},"vision":{"type":"boolean"},"image_tokens":{"$ref":"#/$defs/tokens"},"thinking":{"type":"object","additionalProperties":false,"required":["default","min_max_tokens"],"properties":{"default":{"type":"boolean"},"min_max_tokens":{"$ref":"#/$defs/tokens"}}},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input","output"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}},"commit":{"$ref":"#/$defs/commit"},"lossy":{"enum":["allow","refuse"]}}};
const schema104 = {"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":10000000}};
const schema111 = {"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"price","min":0,"max":500000000}};
const pattern89 = new RegExp("^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$", "u");
const schema102 = {"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/name","type":"string"}};
function validate60(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate60.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(Array.isArray(data)){
if(data.length < 1){
validate60.errors = [{instancePath,schemaPath:"#/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
let data0 = data[i0];
const _errs1 = errors;
if(typeof data0 !== "string"){
validate60.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate60.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate60.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
if(valid0){
let i1 = data.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate60.errors = [{instancePath,schemaPath:"#/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
else {
validate60.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
validate60.errors = vErrors;
return errors === 0;
}
validate60.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
const schema108 = {"type":"object","minProperties":1,"propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/accepted"}};
const schema110 = {"type":"object","additionalProperties":false,"properties":{"max":{"type":"number"},"min":{"type":"number"},"one_of":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":64}},"max_length":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000000}},"boolean":{"const":true},"max_size":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?([KMG]?B)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":2,"max":1000000}}}};
const pattern88 = new RegExp("^([0-9]+(\\.[0-9]+)?([KMG]?B)?|.*\\$\\{.+\\}.*)$", "u");
function validate62(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate62.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length < 1){
validate62.errors = [{instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate62.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
let data0 = data[key1];
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs8 = errors;
for(const key2 in data0){
if(!((((((key2 === "max") || (key2 === "min")) || (key2 === "one_of")) || (key2 === "max_length")) || (key2 === "boolean")) || (key2 === "max_size"))){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/accepted/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data0.max !== undefined){
let data1 = data0.max;
const _errs9 = errors;
if(!((typeof data1 == "number") && (isFinite(data1)))){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max",schemaPath:"#/$defs/accepted/properties/max/type",keyword:"type",params:{type: "number"}}];
return false;
}
var valid4 = _errs9 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data0.min !== undefined){
let data2 = data0.min;
const _errs11 = errors;
if(!((typeof data2 == "number") && (isFinite(data2)))){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/min",schemaPath:"#/$defs/accepted/properties/min/type",keyword:"type",params:{type: "number"}}];
return false;
}
var valid4 = _errs11 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data0.one_of !== undefined){
let data3 = data0.one_of;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data3)){
if(data3.length < 1){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of",schemaPath:"#/$defs/accepted/properties/one_of/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
const _errs15 = errors;
if(errors === _errs15){
if(typeof data4 === "string"){
if(func4(data4) > 64){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of/" + i0,schemaPath:"#/$defs/accepted/properties/one_of/items/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func4(data4) < 1){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of/" + i0,schemaPath:"#/$defs/accepted/properties/one_of/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
else {
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of/" + i0,schemaPath:"#/$defs/accepted/properties/one_of/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid5 = _errs15 === errors;
if(!valid5){
break;
}
}
if(valid5){
let i1 = data3.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data3[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of",schemaPath:"#/$defs/accepted/properties/one_of/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
else {
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/one_of",schemaPath:"#/$defs/accepted/properties/one_of/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid4 = _errs13 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data0.max_length !== undefined){
let data5 = data0.max_length;
const _errs17 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (typeof data5 !== "string")){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_length",schemaPath:"#/$defs/accepted/properties/max_length/type",keyword:"type",params:{type: schema110.properties.max_length.type}}];
return false;
}
if(!fitsUnit(schema110.properties.max_length["x-unit"], data5)){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_length",schemaPath:"#/$defs/accepted/properties/max_length/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs17){
if(typeof data5 === "string"){
if(!pattern8.test(data5)){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_length",schemaPath:"#/$defs/accepted/properties/max_length/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid4 = _errs17 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data0.boolean !== undefined){
const _errs19 = errors;
if(true !== data0.boolean){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/boolean",schemaPath:"#/$defs/accepted/properties/boolean/const",keyword:"const",params:{allowedValue: true}}];
return false;
}
var valid4 = _errs19 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data0.max_size !== undefined){
let data7 = data0.max_size;
const _errs20 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (typeof data7 !== "string")){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_size",schemaPath:"#/$defs/accepted/properties/max_size/type",keyword:"type",params:{type: schema110.properties.max_size.type}}];
return false;
}
if(!fitsUnit(schema110.properties.max_size["x-unit"], data7)){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_size",schemaPath:"#/$defs/accepted/properties/max_size/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs20){
if(typeof data7 === "string"){
if(!pattern88.test(data7)){
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1")+"/max_size",schemaPath:"#/$defs/accepted/properties/max_size/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?([KMG]?B)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid4 = _errs20 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
}
}
else {
validate62.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/accepted/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate62.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate62.errors = vErrors;
return errors === 0;
}
validate62.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema114 = {"type":["number","string","object"],"pattern":"^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"price","min":0,"max":500000000},"additionalProperties":false,"required":["5m","1h"],"properties":{"5m":{"$ref":"#/$defs/price"},"1h":{"$ref":"#/$defs/price"}}};
function validate64(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate64.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(((!((typeof data == "number") && (isFinite(data)))) && (typeof data !== "string")) && (!(data && typeof data == "object" && !Array.isArray(data)))){
validate64.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema114.type}}];
return false;
}
if(!fitsUnit(schema114["x-unit"], data)){
validate64.errors = [{instancePath,schemaPath:"#/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === 0){
if(typeof data === "string"){
if(!pattern89.test(data)){
validate64.errors = [{instancePath,schemaPath:"#/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data["5m"] === undefined) && (missing0 = "5m")) || ((data["1h"] === undefined) && (missing0 = "1h"))){
validate64.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "5m") || (key0 === "1h"))){
validate64.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data["5m"] !== undefined){
let data0 = data["5m"];
const _errs2 = errors;
const _errs3 = errors;
if((!((typeof data0 == "number") && (isFinite(data0)))) && (typeof data0 !== "string")){
validate64.errors = [{instancePath:instancePath+"/5m",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data0)){
validate64.errors = [{instancePath:instancePath+"/5m",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern89.test(data0)){
validate64.errors = [{instancePath:instancePath+"/5m",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data["1h"] !== undefined){
let data1 = data["1h"];
const _errs5 = errors;
const _errs6 = errors;
if((!((typeof data1 == "number") && (isFinite(data1)))) && (typeof data1 !== "string")){
validate64.errors = [{instancePath:instancePath+"/1h",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data1)){
validate64.errors = [{instancePath:instancePath+"/1h",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data1 === "string"){
if(!pattern89.test(data1)){
validate64.errors = [{instancePath:instancePath+"/1h",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
validate64.errors = vErrors;
return errors === 0;
}
validate64.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate59(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate59.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.kind === undefined) && (missing0 = "kind")) || ((data.tier === undefined) && (missing0 = "tier"))) || ((data.serve === undefined) && (missing0 = "serve"))) || ((data.context === undefined) && (missing0 = "context"))) || ((data.usd_per_1m === undefined) && (missing0 = "usd_per_1m"))){
validate59.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema100.properties, key0))){
validate59.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.kind !== undefined){
const _errs2 = errors;
if("chat" !== data.kind){
validate59.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "chat"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tier !== undefined){
let data1 = data.tier;
const _errs3 = errors;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern19.test(data1)){
validate59.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate59.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.serve !== undefined){
const _errs6 = errors;
if(!(validate60(data.serve, {instancePath:instancePath+"/serve",parentData:data,parentDataProperty:"serve",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate60.errors : vErrors.concat(validate60.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.context !== undefined){
let data3 = data.context;
const _errs7 = errors;
const _errs8 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (typeof data3 !== "string")){
validate59.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data3)){
validate59.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern8.test(data3)){
validate59.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_output !== undefined){
let data4 = data.max_output;
const _errs10 = errors;
const _errs11 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (typeof data4 !== "string")){
validate59.errors = [{instancePath:instancePath+"/max_output",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data4)){
validate59.errors = [{instancePath:instancePath+"/max_output",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs11){
if(typeof data4 === "string"){
if(!pattern8.test(data4)){
validate59.errors = [{instancePath:instancePath+"/max_output",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.vision !== undefined){
const _errs13 = errors;
if(typeof data.vision !== "boolean"){
validate59.errors = [{instancePath:instancePath+"/vision",schemaPath:"#/properties/vision/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.image_tokens !== undefined){
let data6 = data.image_tokens;
const _errs15 = errors;
const _errs16 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate59.errors = [{instancePath:instancePath+"/image_tokens",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data6)){
validate59.errors = [{instancePath:instancePath+"/image_tokens",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data6 === "string"){
if(!pattern8.test(data6)){
validate59.errors = [{instancePath:instancePath+"/image_tokens",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.thinking !== undefined){
let data7 = data.thinking;
const _errs18 = errors;
if(errors === _errs18){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing1;
if(((data7.default === undefined) && (missing1 = "default")) || ((data7.min_max_tokens === undefined) && (missing1 = "min_max_tokens"))){
validate59.errors = [{instancePath:instancePath+"/thinking",schemaPath:"#/properties/thinking/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs20 = errors;
for(const key1 in data7){
if(!((key1 === "default") || (key1 === "min_max_tokens"))){
validate59.errors = [{instancePath:instancePath+"/thinking",schemaPath:"#/properties/thinking/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs20 === errors){
if(data7.default !== undefined){
const _errs21 = errors;
if(typeof data7.default !== "boolean"){
validate59.errors = [{instancePath:instancePath+"/thinking/default",schemaPath:"#/properties/thinking/properties/default/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid5 = _errs21 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data7.min_max_tokens !== undefined){
let data9 = data7.min_max_tokens;
const _errs23 = errors;
const _errs24 = errors;
if((!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))) && (typeof data9 !== "string")){
validate59.errors = [{instancePath:instancePath+"/thinking/min_max_tokens",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data9)){
validate59.errors = [{instancePath:instancePath+"/thinking/min_max_tokens",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs24){
if(typeof data9 === "string"){
if(!pattern8.test(data9)){
validate59.errors = [{instancePath:instancePath+"/thinking/min_max_tokens",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid5 = _errs23 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
else {
validate59.errors = [{instancePath:instancePath+"/thinking",schemaPath:"#/properties/thinking/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accepts !== undefined){
const _errs26 = errors;
if(!(validate62(data.accepts, {instancePath:instancePath+"/accepts",parentData:data,parentDataProperty:"accepts",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
errors = vErrors.length;
}
var valid0 = _errs26 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_1m !== undefined){
let data11 = data.usd_per_1m;
const _errs27 = errors;
if(errors === _errs27){
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
let missing2;
if(((data11.input === undefined) && (missing2 = "input")) || ((data11.output === undefined) && (missing2 = "output"))){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs29 = errors;
for(const key2 in data11){
if(!((((key2 === "input") || (key2 === "output")) || (key2 === "cached_input")) || (key2 === "cache_write"))){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs29 === errors){
if(data11.input !== undefined){
let data12 = data11.input;
const _errs30 = errors;
const _errs31 = errors;
if((!((typeof data12 == "number") && (isFinite(data12)))) && (typeof data12 !== "string")){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data12)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs31){
if(typeof data12 === "string"){
if(!pattern89.test(data12)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid7 = _errs30 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.output !== undefined){
let data13 = data11.output;
const _errs33 = errors;
const _errs34 = errors;
if((!((typeof data13 == "number") && (isFinite(data13)))) && (typeof data13 !== "string")){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data13)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs34){
if(typeof data13 === "string"){
if(!pattern89.test(data13)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid7 = _errs33 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.cached_input !== undefined){
let data14 = data11.cached_input;
const _errs36 = errors;
const _errs37 = errors;
if((!((typeof data14 == "number") && (isFinite(data14)))) && (typeof data14 !== "string")){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data14)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs37){
if(typeof data14 === "string"){
if(!pattern89.test(data14)){
validate59.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid7 = _errs36 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.cache_write !== undefined){
const _errs39 = errors;
if(!(validate64(data11.cache_write, {instancePath:instancePath+"/usd_per_1m/cache_write",parentData:data11,parentDataProperty:"cache_write",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate64.errors : vErrors.concat(validate64.errors);
errors = vErrors.length;
}
var valid7 = _errs39 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
else {
validate59.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs27 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.commit !== undefined){
let data16 = data.commit;
const _errs40 = errors;
if(!((data16 === "first_content") || (data16 === "complete"))){
validate59.errors = [{instancePath:instancePath+"/commit",schemaPath:"#/$defs/commit/enum",keyword:"enum",params:{allowedValues: schema96.enum}}];
return false;
}
var valid0 = _errs40 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.lossy !== undefined){
let data17 = data.lossy;
const _errs42 = errors;
if(!((data17 === "allow") || (data17 === "refuse"))){
validate59.errors = [{instancePath:instancePath+"/lossy",schemaPath:"#/properties/lossy/enum",keyword:"enum",params:{allowedValues: schema100.properties.lossy.enum}}];
return false;
}
var valid0 = _errs42 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate59.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate59.errors = vErrors;
return errors === 0;
}
validate59.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema118 = {"type":"object","additionalProperties":false,"required":["kind","tier","serve","context","usd_per_1m"],"properties":{"kind":{"const":"embedding"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"context":{"$ref":"#/$defs/tokens"},"dimensions":{"type":["integer","object"],"additionalProperties":false,"properties":{"native":{"const":768},"any":{"type":"boolean"}},"if":{"type":"integer"},"then":{"const":768}},"token_ids":{"type":"boolean"},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"}}}}};
function validate66(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate66.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.kind === undefined) && (missing0 = "kind")) || ((data.tier === undefined) && (missing0 = "tier"))) || ((data.serve === undefined) && (missing0 = "serve"))) || ((data.context === undefined) && (missing0 = "context"))) || ((data.usd_per_1m === undefined) && (missing0 = "usd_per_1m"))){
validate66.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "kind") || (key0 === "tier")) || (key0 === "serve")) || (key0 === "context")) || (key0 === "dimensions")) || (key0 === "token_ids")) || (key0 === "accepts")) || (key0 === "usd_per_1m"))){
validate66.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.kind !== undefined){
const _errs2 = errors;
if("embedding" !== data.kind){
validate66.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "embedding"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tier !== undefined){
let data1 = data.tier;
const _errs3 = errors;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern19.test(data1)){
validate66.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate66.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.serve !== undefined){
const _errs6 = errors;
if(!(validate60(data.serve, {instancePath:instancePath+"/serve",parentData:data,parentDataProperty:"serve",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate60.errors : vErrors.concat(validate60.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.context !== undefined){
let data3 = data.context;
const _errs7 = errors;
const _errs8 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (typeof data3 !== "string")){
validate66.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data3)){
validate66.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern8.test(data3)){
validate66.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.dimensions !== undefined){
let data4 = data.dimensions;
const _errs10 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (!(data4 && typeof data4 == "object" && !Array.isArray(data4)))){
validate66.errors = [{instancePath:instancePath+"/dimensions",schemaPath:"#/properties/dimensions/type",keyword:"type",params:{type: schema118.properties.dimensions.type}}];
return false;
}
const _errs12 = errors;
let valid3 = true;
const _errs13 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
const err0 = {};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
var _valid0 = _errs13 === errors;
errors = _errs12;
if(vErrors !== null){
if(_errs12){
vErrors.length = _errs12;
}
else {
vErrors = null;
}
}
if(_valid0){
const _errs15 = errors;
if(768 !== data4){
validate66.errors = [{instancePath:instancePath+"/dimensions",schemaPath:"#/properties/dimensions/then/const",keyword:"const",params:{allowedValue: 768}}];
return false;
}
var _valid0 = _errs15 === errors;
valid3 = _valid0;
}
if(!valid3){
const err1 = {instancePath:instancePath+"/dimensions",schemaPath:"#/properties/dimensions/if",keyword:"if",params:{failingKeyword: "then"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate66.errors = vErrors;
return false;
}
if(errors === _errs10){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
const _errs16 = errors;
for(const key1 in data4){
if(!((key1 === "native") || (key1 === "any"))){
validate66.errors = [{instancePath:instancePath+"/dimensions",schemaPath:"#/properties/dimensions/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs16 === errors){
if(data4.native !== undefined){
const _errs17 = errors;
if(768 !== data4.native){
validate66.errors = [{instancePath:instancePath+"/dimensions/native",schemaPath:"#/properties/dimensions/properties/native/const",keyword:"const",params:{allowedValue: 768}}];
return false;
}
var valid4 = _errs17 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data4.any !== undefined){
const _errs18 = errors;
if(typeof data4.any !== "boolean"){
validate66.errors = [{instancePath:instancePath+"/dimensions/any",schemaPath:"#/properties/dimensions/properties/any/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.token_ids !== undefined){
const _errs20 = errors;
if(typeof data.token_ids !== "boolean"){
validate66.errors = [{instancePath:instancePath+"/token_ids",schemaPath:"#/properties/token_ids/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accepts !== undefined){
const _errs22 = errors;
if(!(validate62(data.accepts, {instancePath:instancePath+"/accepts",parentData:data,parentDataProperty:"accepts",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
errors = vErrors.length;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_1m !== undefined){
let data9 = data.usd_per_1m;
const _errs23 = errors;
if(errors === _errs23){
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
let missing1;
if((data9.input === undefined) && (missing1 = "input")){
validate66.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs25 = errors;
for(const key2 in data9){
if(!(key2 === "input")){
validate66.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs25 === errors){
if(data9.input !== undefined){
let data10 = data9.input;
const _errs27 = errors;
if((!((typeof data10 == "number") && (isFinite(data10)))) && (typeof data10 !== "string")){
validate66.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data10)){
validate66.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs27){
if(typeof data10 === "string"){
if(!pattern89.test(data10)){
validate66.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
}
}
}
}
else {
validate66.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate66.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate66.errors = vErrors;
return errors === 0;
}
validate66.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema122 = {"type":"object","additionalProperties":false,"required":["kind","tier","serve","usd_per_image"],"properties":{"kind":{"const":"image"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"accepts":{"$ref":"#/$defs/accepts"},"usd_per_image":{"type":["number","string","object"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000},"minProperties":1,"additionalProperties":{"$ref":"#/$defs/image_price"}}}};
const schema124 = {"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}};
function validate69(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate69.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.kind === undefined) && (missing0 = "kind")) || ((data.tier === undefined) && (missing0 = "tier"))) || ((data.serve === undefined) && (missing0 = "serve"))) || ((data.usd_per_image === undefined) && (missing0 = "usd_per_image"))){
validate69.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "kind") || (key0 === "tier")) || (key0 === "serve")) || (key0 === "accepts")) || (key0 === "usd_per_image"))){
validate69.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.kind !== undefined){
const _errs2 = errors;
if("image" !== data.kind){
validate69.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "image"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tier !== undefined){
let data1 = data.tier;
const _errs3 = errors;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern19.test(data1)){
validate69.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate69.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.serve !== undefined){
const _errs6 = errors;
if(!(validate60(data.serve, {instancePath:instancePath+"/serve",parentData:data,parentDataProperty:"serve",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate60.errors : vErrors.concat(validate60.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accepts !== undefined){
const _errs7 = errors;
if(!(validate62(data.accepts, {instancePath:instancePath+"/accepts",parentData:data,parentDataProperty:"accepts",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate62.errors : vErrors.concat(validate62.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_image !== undefined){
let data4 = data.usd_per_image;
const _errs8 = errors;
if(((!((typeof data4 == "number") && (isFinite(data4)))) && (typeof data4 !== "string")) && (!(data4 && typeof data4 == "object" && !Array.isArray(data4)))){
validate69.errors = [{instancePath:instancePath+"/usd_per_image",schemaPath:"#/properties/usd_per_image/type",keyword:"type",params:{type: schema122.properties.usd_per_image.type}}];
return false;
}
if(!fitsUnit(schema122.properties.usd_per_image["x-unit"], data4)){
validate69.errors = [{instancePath:instancePath+"/usd_per_image",schemaPath:"#/properties/usd_per_image/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs8){
if(typeof data4 === "string"){
if(!pattern34.test(data4)){
validate69.errors = [{instancePath:instancePath+"/usd_per_image",schemaPath:"#/properties/usd_per_image/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
if(errors === _errs8){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(Object.keys(data4).length < 1){
validate69.errors = [{instancePath:instancePath+"/usd_per_image",schemaPath:"#/properties/usd_per_image/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key1 in data4){
let data5 = data4[key1];
const _errs11 = errors;
const _errs12 = errors;
if((!((typeof data5 == "number") && (isFinite(data5)))) && (typeof data5 !== "string")){
validate69.errors = [{instancePath:instancePath+"/usd_per_image/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/image_price/type",keyword:"type",params:{type: schema124.type}}];
return false;
}
if(!fitsUnit(schema124["x-unit"], data5)){
validate69.errors = [{instancePath:instancePath+"/usd_per_image/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/image_price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs12){
if(typeof data5 === "string"){
if(!pattern34.test(data5)){
validate69.errors = [{instancePath:instancePath+"/usd_per_image/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/image_price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid2 = _errs11 === errors;
if(!valid2){
break;
}
}
}
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate69.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate69.errors = vErrors;
return errors === 0;
}
validate69.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema125 = {"type":"object","additionalProperties":false,"required":["kind","tier","serve"],"properties":{"kind":{"const":"passthrough"},"tier":{"$ref":"#/$defs/tier"},"serve":{"$ref":"#/$defs/serve"},"usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}}}};
function validate72(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate72.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.kind === undefined) && (missing0 = "kind")) || ((data.tier === undefined) && (missing0 = "tier"))) || ((data.serve === undefined) && (missing0 = "serve"))){
validate72.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "kind") || (key0 === "tier")) || (key0 === "serve")) || (key0 === "usd_per_1m"))){
validate72.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.kind !== undefined){
const _errs2 = errors;
if("passthrough" !== data.kind){
validate72.errors = [{instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "passthrough"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tier !== undefined){
let data1 = data.tier;
const _errs3 = errors;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern19.test(data1)){
validate72.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate72.errors = [{instancePath:instancePath+"/tier",schemaPath:"#/$defs/tier/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.serve !== undefined){
const _errs6 = errors;
if(!(validate60(data.serve, {instancePath:instancePath+"/serve",parentData:data,parentDataProperty:"serve",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate60.errors : vErrors.concat(validate60.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_1m !== undefined){
let data3 = data.usd_per_1m;
const _errs7 = errors;
if(errors === _errs7){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
let missing1;
if((data3.input === undefined) && (missing1 = "input")){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data3){
if(!((((key1 === "input") || (key1 === "output")) || (key1 === "cached_input")) || (key1 === "cache_write"))){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data3.input !== undefined){
let data4 = data3.input;
const _errs10 = errors;
const _errs11 = errors;
if((!((typeof data4 == "number") && (isFinite(data4)))) && (typeof data4 !== "string")){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data4)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs11){
if(typeof data4 === "string"){
if(!pattern89.test(data4)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid2 = _errs10 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.output !== undefined){
let data5 = data3.output;
const _errs13 = errors;
const _errs14 = errors;
if((!((typeof data5 == "number") && (isFinite(data5)))) && (typeof data5 !== "string")){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data5)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs14){
if(typeof data5 === "string"){
if(!pattern89.test(data5)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/output",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.cached_input !== undefined){
let data6 = data3.cached_input;
const _errs16 = errors;
const _errs17 = errors;
if((!((typeof data6 == "number") && (isFinite(data6)))) && (typeof data6 !== "string")){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data6)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs17){
if(typeof data6 === "string"){
if(!pattern89.test(data6)){
validate72.errors = [{instancePath:instancePath+"/usd_per_1m/cached_input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data3.cache_write !== undefined){
const _errs19 = errors;
if(!(validate64(data3.cache_write, {instancePath:instancePath+"/usd_per_1m/cache_write",parentData:data3,parentDataProperty:"cache_write",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate64.errors : vErrors.concat(validate64.errors);
errors = vErrors.length;
}
var valid2 = _errs19 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate72.errors = [{instancePath:instancePath+"/usd_per_1m",schemaPath:"#/properties/usd_per_1m/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate72.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate72.errors = vErrors;
return errors === 0;
}
validate72.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate58(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate58.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.kind === undefined) && (missing0 = "kind")){
validate58.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const tag0 = data.kind;
if(typeof tag0 == "string"){
if(tag0 === "chat"){
if(!(validate59(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate59.errors : vErrors.concat(validate59.errors);
errors = vErrors.length;
}
var props0 = true;
}
else if(tag0 === "embedding"){
if(!(validate66(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate66.errors : vErrors.concat(validate66.errors);
errors = vErrors.length;
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "image"){
if(!(validate69(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate69.errors : vErrors.concat(validate69.errors);
errors = vErrors.length;
}
if(props0 !== true){
props0 = true;
}
}
else if(tag0 === "passthrough"){
if(!(validate72(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate72.errors : vErrors.concat(validate72.errors);
errors = vErrors.length;
}
if(props0 !== true){
props0 = true;
}
}
else {
validate58.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "mapping", tag: "kind", tagValue: tag0}}];
return false;
}
}
else {
validate58.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{error: "tag", tag: "kind", tagValue: tag0}}];
return false;
}
}
}
else {
validate58.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate58.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate58.evaluated = {"dynamicProps":true,"dynamicItems":false};
function validate57(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate57.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate57.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate58(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate58.errors : vErrors.concat(validate58.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate57.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate57.errors = vErrors;
return errors === 0;
}
validate57.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema130 = {"type":"object","propertyNames":{"$ref":"#/$defs/alias_name"},"additionalProperties":{"$ref":"#/$defs/name"}};
const schema131 = {"type":"string","maxLength":128,"pattern":"^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"};
const pattern105 = new RegExp("^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$", "u");
function validate81(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate81.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(func4(key0) > 128){
const err0 = {instancePath,schemaPath:"#/$defs/alias_name/maxLength",keyword:"maxLength",params:{limit: 128},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
if(!pattern105.test(key0)){
const err1 = {instancePath,schemaPath:"#/$defs/alias_name/pattern",keyword:"pattern",params:{pattern: "^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
else {
const err2 = {instancePath,schemaPath:"#/$defs/alias_name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err3 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate81.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
let data0 = data[key1];
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate81.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate81.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate81.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate81.errors = vErrors;
return errors === 0;
}
validate81.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema134 = {"type":"object","propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"$ref":"#/$defs/pool"}};
const schema136 = {"type":"object","additionalProperties":false,"required":["site","replicas","model"],"properties":{"site":{"$ref":"#/$defs/name"},"replicas":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","format":"x-base-url"}},"model":{"type":"string","minLength":1},"speaks":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["chat","responses","messages"]}},"key":{"type":"string","format":"x-secret"},"auth":{"type":["string","object"],"pattern":"^(bearer|x-api-key|api-key)$","additionalProperties":false,"required":["header"],"properties":{"header":{"$ref":"#/$defs/header_name"},"prefix":{"type":"string","pattern":"^[ -~]{0,64}$"}}},"headers":{"type":"object","minProperties":1,"maxProperties":20,"propertyNames":{"$ref":"#/$defs/header_name"},"additionalProperties":{"type":"string","format":"x-header-value"}},"query":{"type":"object","minProperties":1,"maxProperties":20,"propertyNames":{"type":"string","pattern":"^[A-Za-z0-9._~-]{1,64}$"},"additionalProperties":{"type":"string","minLength":1,"maxLength":256}},"betas":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\\*?$","minLength":1}},"provider_tools":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","pattern":"^(?!.*_preview)[a-z]+(_[a-z]+)*$","maxLength":64}},"connect_timeout":{"$ref":"#/$defs/connect_timeout"},"headers_timeout":{"$ref":"#/$defs/headers_timeout"},"first_content_timeout":{"$ref":"#/$defs/first_content_timeout"},"idle_timeout":{"$ref":"#/$defs/idle_timeout"},"stream_timeout":{"$ref":"#/$defs/stream_timeout"},"answer_timeout":{"$ref":"#/$defs/answer_timeout"},"queue_timeout":{"$ref":"#/$defs/queue_timeout"},"wait_for_retry_after":{"$ref":"#/$defs/wait_for_retry_after"},"eject":{"$ref":"#/$defs/eject"},"probe":{"$ref":"#/$defs/probe"},"context":{"$ref":"#/$defs/tokens"},"max_concurrent":{"$ref":"#/$defs/count"},"cost_usd_per_1m":{"type":"object","additionalProperties":false,"required":["input"],"properties":{"input":{"$ref":"#/$defs/price"},"output":{"$ref":"#/$defs/price"},"cached_input":{"$ref":"#/$defs/price"},"cache_write":{"$ref":"#/$defs/cache_write"}}},"cost_usd_per_image":{"$ref":"#/$defs/usd"},"max_usd_per_hour":{"$ref":"#/$defs/usd"}}};
const func0 = require("ajv/dist/runtime/equal").default;
const pattern110 = new RegExp("^(bearer|x-api-key|api-key)$", "u");
const pattern112 = new RegExp("^[ -~]{0,64}$", "u");
const pattern114 = new RegExp("^[A-Za-z0-9._~-]{1,64}$", "u");
const pattern115 = new RegExp("^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\\*?$", "u");
const pattern116 = new RegExp("^(?!.*_preview)[a-z]+(_[a-z]+)*$", "u");
const formats86 = formats["x-header-value"];
function validate84(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate84.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.site === undefined) && (missing0 = "site")) || ((data.replicas === undefined) && (missing0 = "replicas"))) || ((data.model === undefined) && (missing0 = "model"))){
validate84.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema136.properties, key0))){
validate84.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.site !== undefined){
let data0 = data.site;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate84.errors = [{instancePath:instancePath+"/site",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/site",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.replicas !== undefined){
let data1 = data.replicas;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data1)){
if(data1.length < 1){
validate84.errors = [{instancePath:instancePath+"/replicas",schemaPath:"#/properties/replicas/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs7 = errors;
if(errors === _errs7){
if(errors === _errs7){
if(typeof data2 === "string"){
if(!(formats2.validate(data2))){
validate84.errors = [{instancePath:instancePath+"/replicas/" + i0,schemaPath:"#/properties/replicas/items/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/replicas/" + i0,schemaPath:"#/properties/replicas/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs7 === errors;
if(!valid2){
break;
}
}
if(valid2){
let i1 = data1.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data1[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate84.errors = [{instancePath:instancePath+"/replicas",schemaPath:"#/properties/replicas/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/replicas",schemaPath:"#/properties/replicas/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model !== undefined){
let data3 = data.model;
const _errs9 = errors;
if(errors === _errs9){
if(typeof data3 === "string"){
if(func4(data3) < 1){
validate84.errors = [{instancePath:instancePath+"/model",schemaPath:"#/properties/model/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/model",schemaPath:"#/properties/model/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.speaks !== undefined){
let data4 = data.speaks;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data4)){
if(data4.length < 1){
validate84.errors = [{instancePath:instancePath+"/speaks",schemaPath:"#/properties/speaks/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len1 = data4.length;
for(let i2=0; i2<len1; i2++){
let data5 = data4[i2];
const _errs13 = errors;
if(!(((data5 === "chat") || (data5 === "responses")) || (data5 === "messages"))){
validate84.errors = [{instancePath:instancePath+"/speaks/" + i2,schemaPath:"#/properties/speaks/items/enum",keyword:"enum",params:{allowedValues: schema136.properties.speaks.items.enum}}];
return false;
}
var valid4 = _errs13 === errors;
if(!valid4){
break;
}
}
if(valid4){
let i3 = data4.length;
let j1;
if(i3 > 1){
outer0:
for(;i3--;){
for(j1 = i3; j1--;){
if(func0(data4[i3], data4[j1])){
validate84.errors = [{instancePath:instancePath+"/speaks",schemaPath:"#/properties/speaks/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break outer0;
}
}
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/speaks",schemaPath:"#/properties/speaks/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.key !== undefined){
let data6 = data.key;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data6 === "string"){
if(!(formats10.validate(data6))){
validate84.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.auth !== undefined){
let data7 = data.auth;
const _errs16 = errors;
if((typeof data7 !== "string") && (!(data7 && typeof data7 == "object" && !Array.isArray(data7)))){
validate84.errors = [{instancePath:instancePath+"/auth",schemaPath:"#/properties/auth/type",keyword:"type",params:{type: schema136.properties.auth.type}}];
return false;
}
if(errors === _errs16){
if(typeof data7 === "string"){
if(!pattern110.test(data7)){
validate84.errors = [{instancePath:instancePath+"/auth",schemaPath:"#/properties/auth/pattern",keyword:"pattern",params:{pattern: "^(bearer|x-api-key|api-key)$"}}];
return false;
}
}
if(errors === _errs16){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing1;
if((data7.header === undefined) && (missing1 = "header")){
validate84.errors = [{instancePath:instancePath+"/auth",schemaPath:"#/properties/auth/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs18 = errors;
for(const key1 in data7){
if(!((key1 === "header") || (key1 === "prefix"))){
validate84.errors = [{instancePath:instancePath+"/auth",schemaPath:"#/properties/auth/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs18 === errors){
if(data7.header !== undefined){
let data8 = data7.header;
const _errs19 = errors;
const _errs20 = errors;
if(errors === _errs20){
if(typeof data8 === "string"){
if(!pattern17.test(data8)){
validate84.errors = [{instancePath:instancePath+"/auth/header",schemaPath:"#/$defs/header_name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/auth/header",schemaPath:"#/$defs/header_name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid6 = _errs19 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data7.prefix !== undefined){
let data9 = data7.prefix;
const _errs22 = errors;
if(errors === _errs22){
if(typeof data9 === "string"){
if(!pattern112.test(data9)){
validate84.errors = [{instancePath:instancePath+"/auth/prefix",schemaPath:"#/properties/auth/properties/prefix/pattern",keyword:"pattern",params:{pattern: "^[ -~]{0,64}$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/auth/prefix",schemaPath:"#/properties/auth/properties/prefix/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid6 = _errs22 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data10 = data.headers;
const _errs24 = errors;
if(errors === _errs24){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(Object.keys(data10).length > 20){
validate84.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/maxProperties",keyword:"maxProperties",params:{limit: 20}}];
return false;
}
else {
if(Object.keys(data10).length < 1){
validate84.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key2 in data10){
const _errs26 = errors;
const _errs27 = errors;
if(errors === _errs27){
if(typeof key2 === "string"){
if(!pattern17.test(key2)){
const err0 = {instancePath:instancePath+"/headers",schemaPath:"#/$defs/header_name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9-]{0,63}$"},propertyName:key2};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath:instancePath+"/headers",schemaPath:"#/$defs/header_name/type",keyword:"type",params:{type: "string"},propertyName:key2};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid8 = _errs26 === errors;
if(!valid8){
const err2 = {instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/propertyNames",keyword:"propertyNames",params:{propertyName: key2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate84.errors = vErrors;
return false;
break;
}
}
if(valid8){
for(const key3 in data10){
let data11 = data10[key3];
const _errs30 = errors;
if(errors === _errs30){
if(errors === _errs30){
if(typeof data11 === "string"){
if(!(formats86.validate(data11))){
validate84.errors = [{instancePath:instancePath+"/headers/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/headers/additionalProperties/format",keyword:"format",params:{format: "x-header-value"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/headers/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/headers/additionalProperties/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid10 = _errs30 === errors;
if(!valid10){
break;
}
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data12 = data.query;
const _errs32 = errors;
if(errors === _errs32){
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
if(Object.keys(data12).length > 20){
validate84.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/maxProperties",keyword:"maxProperties",params:{limit: 20}}];
return false;
}
else {
if(Object.keys(data12).length < 1){
validate84.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key4 in data12){
const _errs34 = errors;
if(errors === _errs34){
if(typeof key4 === "string"){
if(!pattern114.test(key4)){
const err3 = {instancePath:instancePath+"/query",schemaPath:"#/properties/query/propertyNames/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9._~-]{1,64}$"},propertyName:key4};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/query",schemaPath:"#/properties/query/propertyNames/type",keyword:"type",params:{type: "string"},propertyName:key4};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
var valid11 = _errs34 === errors;
if(!valid11){
const err5 = {instancePath:instancePath+"/query",schemaPath:"#/properties/query/propertyNames",keyword:"propertyNames",params:{propertyName: key4}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate84.errors = vErrors;
return false;
break;
}
}
if(valid11){
for(const key5 in data12){
let data13 = data12[key5];
const _errs37 = errors;
if(errors === _errs37){
if(typeof data13 === "string"){
if(func4(data13) > 256){
validate84.errors = [{instancePath:instancePath+"/query/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/query/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func4(data13) < 1){
validate84.errors = [{instancePath:instancePath+"/query/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/query/additionalProperties/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/query/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/query/additionalProperties/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid12 = _errs37 === errors;
if(!valid12){
break;
}
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.betas !== undefined){
let data14 = data.betas;
const _errs39 = errors;
if(errors === _errs39){
if(Array.isArray(data14)){
if(data14.length < 1){
validate84.errors = [{instancePath:instancePath+"/betas",schemaPath:"#/properties/betas/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid13 = true;
const len2 = data14.length;
for(let i4=0; i4<len2; i4++){
let data15 = data14[i4];
const _errs41 = errors;
if(errors === _errs41){
if(typeof data15 === "string"){
if(func4(data15) < 1){
validate84.errors = [{instancePath:instancePath+"/betas/" + i4,schemaPath:"#/properties/betas/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!pattern115.test(data15)){
validate84.errors = [{instancePath:instancePath+"/betas/" + i4,schemaPath:"#/properties/betas/items/pattern",keyword:"pattern",params:{pattern: "^([A-Za-z0-9][A-Za-z0-9._-]{0,63})?\\*?$"}}];
return false;
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/betas/" + i4,schemaPath:"#/properties/betas/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid13 = _errs41 === errors;
if(!valid13){
break;
}
}
if(valid13){
let i5 = data14.length;
let j2;
if(i5 > 1){
const indices1 = {};
for(;i5--;){
let item1 = data14[i5];
if(typeof item1 !== "string"){
continue;
}
if(typeof indices1[item1] == "number"){
j2 = indices1[item1];
validate84.errors = [{instancePath:instancePath+"/betas",schemaPath:"#/properties/betas/uniqueItems",keyword:"uniqueItems",params:{i: i5, j: j2}}];
return false;
break;
}
indices1[item1] = i5;
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/betas",schemaPath:"#/properties/betas/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs39 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.provider_tools !== undefined){
let data16 = data.provider_tools;
const _errs43 = errors;
if(errors === _errs43){
if(Array.isArray(data16)){
if(data16.length < 1){
validate84.errors = [{instancePath:instancePath+"/provider_tools",schemaPath:"#/properties/provider_tools/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid15 = true;
const len3 = data16.length;
for(let i6=0; i6<len3; i6++){
let data17 = data16[i6];
const _errs45 = errors;
if(errors === _errs45){
if(typeof data17 === "string"){
if(func4(data17) > 64){
validate84.errors = [{instancePath:instancePath+"/provider_tools/" + i6,schemaPath:"#/properties/provider_tools/items/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(!pattern116.test(data17)){
validate84.errors = [{instancePath:instancePath+"/provider_tools/" + i6,schemaPath:"#/properties/provider_tools/items/pattern",keyword:"pattern",params:{pattern: "^(?!.*_preview)[a-z]+(_[a-z]+)*$"}}];
return false;
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/provider_tools/" + i6,schemaPath:"#/properties/provider_tools/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid15 = _errs45 === errors;
if(!valid15){
break;
}
}
if(valid15){
let i7 = data16.length;
let j3;
if(i7 > 1){
const indices2 = {};
for(;i7--;){
let item2 = data16[i7];
if(typeof item2 !== "string"){
continue;
}
if(typeof indices2[item2] == "number"){
j3 = indices2[item2];
validate84.errors = [{instancePath:instancePath+"/provider_tools",schemaPath:"#/properties/provider_tools/uniqueItems",keyword:"uniqueItems",params:{i: i7, j: j3}}];
return false;
break;
}
indices2[item2] = i7;
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/provider_tools",schemaPath:"#/properties/provider_tools/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs43 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.connect_timeout !== undefined){
let data18 = data.connect_timeout;
const _errs47 = errors;
const _errs48 = errors;
if(!fitsUnit(schema67["x-unit"], data18)){
validate84.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs48){
if(typeof data18 === "string"){
if(!pattern10.test(data18)){
validate84.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/connect_timeout",schemaPath:"#/$defs/connect_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs47 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers_timeout !== undefined){
let data19 = data.headers_timeout;
const _errs50 = errors;
const _errs51 = errors;
if(!fitsUnit(schema67["x-unit"], data19)){
validate84.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs51){
if(typeof data19 === "string"){
if(!pattern10.test(data19)){
validate84.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/headers_timeout",schemaPath:"#/$defs/headers_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs50 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.first_content_timeout !== undefined){
let data20 = data.first_content_timeout;
const _errs53 = errors;
const _errs54 = errors;
if(!fitsUnit(schema67["x-unit"], data20)){
validate84.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs54){
if(typeof data20 === "string"){
if(!pattern10.test(data20)){
validate84.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/first_content_timeout",schemaPath:"#/$defs/first_content_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs53 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idle_timeout !== undefined){
let data21 = data.idle_timeout;
const _errs56 = errors;
const _errs57 = errors;
if(!fitsUnit(schema67["x-unit"], data21)){
validate84.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs57){
if(typeof data21 === "string"){
if(!pattern10.test(data21)){
validate84.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/$defs/idle_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs56 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.stream_timeout !== undefined){
let data22 = data.stream_timeout;
const _errs59 = errors;
const _errs60 = errors;
if(!fitsUnit(schema67["x-unit"], data22)){
validate84.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs60){
if(typeof data22 === "string"){
if(!pattern10.test(data22)){
validate84.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/stream_timeout",schemaPath:"#/$defs/stream_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs59 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.answer_timeout !== undefined){
let data23 = data.answer_timeout;
const _errs62 = errors;
const _errs63 = errors;
if(!fitsUnit(schema67["x-unit"], data23)){
validate84.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs63){
if(typeof data23 === "string"){
if(!pattern10.test(data23)){
validate84.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/answer_timeout",schemaPath:"#/$defs/answer_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs62 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.queue_timeout !== undefined){
let data24 = data.queue_timeout;
const _errs65 = errors;
const _errs66 = errors;
if(!fitsUnit(schema67["x-unit"], data24)){
validate84.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs66){
if(typeof data24 === "string"){
if(!pattern10.test(data24)){
validate84.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/queue_timeout",schemaPath:"#/$defs/queue_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs65 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.wait_for_retry_after !== undefined){
let data25 = data.wait_for_retry_after;
const _errs68 = errors;
const _errs69 = errors;
if(!fitsUnit(schema74["x-unit"], data25)){
validate84.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs69){
if(typeof data25 === "string"){
if(!pattern52.test(data25)){
validate84.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/wait_for_retry_after",schemaPath:"#/$defs/wait_for_retry_after/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs68 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.eject !== undefined){
const _errs71 = errors;
if(!(validate47(data.eject, {instancePath:instancePath+"/eject",parentData:data,parentDataProperty:"eject",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate47.errors : vErrors.concat(validate47.errors);
errors = vErrors.length;
}
var valid0 = _errs71 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.probe !== undefined){
let data27 = data.probe;
const _errs72 = errors;
const _errs73 = errors;
if((typeof data27 !== "boolean") && (!(data27 && typeof data27 == "object" && !Array.isArray(data27)))){
validate84.errors = [{instancePath:instancePath+"/probe",schemaPath:"#/$defs/probe/type",keyword:"type",params:{type: schema78.type}}];
return false;
}
if(errors === _errs73){
if(data27 && typeof data27 == "object" && !Array.isArray(data27)){
const _errs75 = errors;
for(const key6 in data27){
if(!((key6 === "path") || (key6 === "every"))){
validate84.errors = [{instancePath:instancePath+"/probe",schemaPath:"#/$defs/probe/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6}}];
return false;
break;
}
}
if(_errs75 === errors){
if(data27.path !== undefined){
let data28 = data27.path;
const _errs76 = errors;
if(errors === _errs76){
if(typeof data28 === "string"){
if(!pattern55.test(data28)){
validate84.errors = [{instancePath:instancePath+"/probe/path",schemaPath:"#/$defs/probe/properties/path/pattern",keyword:"pattern",params:{pattern: "^/[!-~]*$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/probe/path",schemaPath:"#/$defs/probe/properties/path/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid26 = _errs76 === errors;
}
else {
var valid26 = true;
}
if(valid26){
if(data27.every !== undefined){
let data29 = data27.every;
const _errs78 = errors;
if(!fitsUnit(schema78.properties.every["x-unit"], data29)){
validate84.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs78){
if(typeof data29 === "string"){
if(!pattern10.test(data29)){
validate84.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate84.errors = [{instancePath:instancePath+"/probe/every",schemaPath:"#/$defs/probe/properties/every/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid26 = _errs78 === errors;
}
else {
var valid26 = true;
}
}
}
}
}
var valid0 = _errs72 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.context !== undefined){
let data30 = data.context;
const _errs80 = errors;
const _errs81 = errors;
if((!(((typeof data30 == "number") && (!(data30 % 1) && !isNaN(data30))) && (isFinite(data30)))) && (typeof data30 !== "string")){
validate84.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data30)){
validate84.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs81){
if(typeof data30 === "string"){
if(!pattern8.test(data30)){
validate84.errors = [{instancePath:instancePath+"/context",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs80 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_concurrent !== undefined){
let data31 = data.max_concurrent;
const _errs83 = errors;
const _errs84 = errors;
if((!(((typeof data31 == "number") && (!(data31 % 1) && !isNaN(data31))) && (isFinite(data31)))) && (typeof data31 !== "string")){
validate84.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema34.type}}];
return false;
}
if(!fitsUnit(schema34["x-unit"], data31)){
validate84.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs84){
if(typeof data31 === "string"){
if(!pattern8.test(data31)){
validate84.errors = [{instancePath:instancePath+"/max_concurrent",schemaPath:"#/$defs/count/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs83 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cost_usd_per_1m !== undefined){
let data32 = data.cost_usd_per_1m;
const _errs86 = errors;
if(errors === _errs86){
if(data32 && typeof data32 == "object" && !Array.isArray(data32)){
let missing2;
if((data32.input === undefined) && (missing2 = "input")){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m",schemaPath:"#/properties/cost_usd_per_1m/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs88 = errors;
for(const key7 in data32){
if(!((((key7 === "input") || (key7 === "output")) || (key7 === "cached_input")) || (key7 === "cache_write"))){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m",schemaPath:"#/properties/cost_usd_per_1m/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7}}];
return false;
break;
}
}
if(_errs88 === errors){
if(data32.input !== undefined){
let data33 = data32.input;
const _errs89 = errors;
const _errs90 = errors;
if((!((typeof data33 == "number") && (isFinite(data33)))) && (typeof data33 !== "string")){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data33)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs90){
if(typeof data33 === "string"){
if(!pattern89.test(data33)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid29 = _errs89 === errors;
}
else {
var valid29 = true;
}
if(valid29){
if(data32.output !== undefined){
let data34 = data32.output;
const _errs92 = errors;
const _errs93 = errors;
if((!((typeof data34 == "number") && (isFinite(data34)))) && (typeof data34 !== "string")){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/output",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data34)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/output",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs93){
if(typeof data34 === "string"){
if(!pattern89.test(data34)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/output",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid29 = _errs92 === errors;
}
else {
var valid29 = true;
}
if(valid29){
if(data32.cached_input !== undefined){
let data35 = data32.cached_input;
const _errs95 = errors;
const _errs96 = errors;
if((!((typeof data35 == "number") && (isFinite(data35)))) && (typeof data35 !== "string")){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/cached_input",schemaPath:"#/$defs/price/type",keyword:"type",params:{type: schema111.type}}];
return false;
}
if(!fitsUnit(schema111["x-unit"], data35)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/cached_input",schemaPath:"#/$defs/price/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs96){
if(typeof data35 === "string"){
if(!pattern89.test(data35)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m/cached_input",schemaPath:"#/$defs/price/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,6})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid29 = _errs95 === errors;
}
else {
var valid29 = true;
}
if(valid29){
if(data32.cache_write !== undefined){
const _errs98 = errors;
if(!(validate64(data32.cache_write, {instancePath:instancePath+"/cost_usd_per_1m/cache_write",parentData:data32,parentDataProperty:"cache_write",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate64.errors : vErrors.concat(validate64.errors);
errors = vErrors.length;
}
var valid29 = _errs98 === errors;
}
else {
var valid29 = true;
}
}
}
}
}
}
}
else {
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_1m",schemaPath:"#/properties/cost_usd_per_1m/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs86 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cost_usd_per_image !== undefined){
let data37 = data.cost_usd_per_image;
const _errs99 = errors;
const _errs100 = errors;
if((!((typeof data37 == "number") && (isFinite(data37)))) && (typeof data37 !== "string")){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_image",schemaPath:"#/$defs/usd/type",keyword:"type",params:{type: schema64.type}}];
return false;
}
if(!fitsUnit(schema64["x-unit"], data37)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_image",schemaPath:"#/$defs/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs100){
if(typeof data37 === "string"){
if(!pattern34.test(data37)){
validate84.errors = [{instancePath:instancePath+"/cost_usd_per_image",schemaPath:"#/$defs/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs99 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_usd_per_hour !== undefined){
let data38 = data.max_usd_per_hour;
const _errs102 = errors;
const _errs103 = errors;
if((!((typeof data38 == "number") && (isFinite(data38)))) && (typeof data38 !== "string")){
validate84.errors = [{instancePath:instancePath+"/max_usd_per_hour",schemaPath:"#/$defs/usd/type",keyword:"type",params:{type: schema64.type}}];
return false;
}
if(!fitsUnit(schema64["x-unit"], data38)){
validate84.errors = [{instancePath:instancePath+"/max_usd_per_hour",schemaPath:"#/$defs/usd/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs103){
if(typeof data38 === "string"){
if(!pattern34.test(data38)){
validate84.errors = [{instancePath:instancePath+"/max_usd_per_hour",schemaPath:"#/$defs/usd/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs102 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate84.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate84.errors = vErrors;
return errors === 0;
}
validate84.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate83(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate83.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate83.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate84(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate84.errors : vErrors.concat(validate84.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate83.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate83.errors = vErrors;
return errors === 0;
}
validate83.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema156 = {"type":"array","items":{"$ref":"#/$defs/route"}};
const schema157 = {"type":"object","additionalProperties":false,"required":["name","when","use"],"properties":{"name":{"$ref":"#/$defs/name"},"when":{"$ref":"#/$defs/when"},"use":{"$ref":"#/$defs/name"}}};
const schema159 = {"type":"object","additionalProperties":false,"minProperties":1,"properties":{"mentions":{"type":["string","array"],"minLength":1,"maxLength":200,"minItems":1,"maxItems":200,"uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":200}},"matches":{"type":"string","minLength":1,"maxLength":500,"format":"x-pattern"},"input_tokens":{"type":"object","additionalProperties":false,"minProperties":1,"properties":{"over":{"$ref":"#/$defs/tokens"},"under":{"$ref":"#/$defs/tokens"}}},"has_tools":{"type":"boolean"},"has_images":{"type":"boolean"},"plan":{"$ref":"#/$defs/names"},"alias":{"$ref":"#/$defs/alias_names"},"header":{"type":"object","minProperties":1,"maxProperties":10,"propertyNames":{"$ref":"#/$defs/name"},"additionalProperties":{"type":["string","array"],"minLength":1,"minItems":1,"uniqueItems":true,"items":{"type":"string","minLength":1}}},"hour":{"type":"object","additionalProperties":false,"required":["from","to"],"properties":{"from":{"type":"integer","minimum":0,"maximum":23},"to":{"type":"integer","minimum":1,"maximum":24},"zone":{"$ref":"#/$defs/zone"}}},"weekday":{"type":"object","additionalProperties":false,"required":["days"],"properties":{"days":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["mon","tue","wed","thu","fri","sat","sun"]}},"zone":{"$ref":"#/$defs/zone"}}},"any":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/when"}},"not":{"$ref":"#/$defs/when"}}};
const schema167 = {"type":"string","format":"x-zone"};
const formats88 = formats["x-pattern"];
const formats90 = formats["x-zone"];
const schema162 = {"type":["string","array"],"pattern":"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/name","type":"string"}};
function validate92(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate92.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((typeof data !== "string") && (!(Array.isArray(data)))){
validate92.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema162.type}}];
return false;
}
if(errors === 0){
if(typeof data === "string"){
if(!pattern19.test(data)){
validate92.errors = [{instancePath,schemaPath:"#/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
if(errors === 0){
if(Array.isArray(data)){
if(data.length < 1){
validate92.errors = [{instancePath,schemaPath:"#/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
let data0 = data[i0];
const _errs1 = errors;
if(typeof data0 !== "string"){
validate92.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate92.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate92.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
if(valid0){
let i1 = data.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate92.errors = [{instancePath,schemaPath:"#/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
}
validate92.errors = vErrors;
return errors === 0;
}
validate92.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
const schema164 = {"type":["string","array"],"maxLength":128,"pattern":"^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/alias_name","type":"string"}};
function validate94(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate94.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((typeof data !== "string") && (!(Array.isArray(data)))){
validate94.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema164.type}}];
return false;
}
if(errors === 0){
if(typeof data === "string"){
if(func4(data) > 128){
validate94.errors = [{instancePath,schemaPath:"#/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!pattern105.test(data)){
validate94.errors = [{instancePath,schemaPath:"#/pattern",keyword:"pattern",params:{pattern: "^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"}}];
return false;
}
}
}
if(errors === 0){
if(Array.isArray(data)){
if(data.length < 1){
validate94.errors = [{instancePath,schemaPath:"#/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
let data0 = data[i0];
const _errs1 = errors;
if(typeof data0 !== "string"){
validate94.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(func4(data0) > 128){
validate94.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/alias_name/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!pattern105.test(data0)){
validate94.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/alias_name/pattern",keyword:"pattern",params:{pattern: "^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"}}];
return false;
}
}
}
else {
validate94.errors = [{instancePath:instancePath+"/" + i0,schemaPath:"#/$defs/alias_name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
if(valid0){
let i1 = data.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate94.errors = [{instancePath,schemaPath:"#/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
}
validate94.errors = vErrors;
return errors === 0;
}
validate94.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
const wrapper0 = {validate: validate91};
function validate91(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate91.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length < 1){
validate91.errors = [{instancePath,schemaPath:"#/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema159.properties, key0))){
validate91.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.mentions !== undefined){
let data0 = data.mentions;
const _errs2 = errors;
if((typeof data0 !== "string") && (!(Array.isArray(data0)))){
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/type",keyword:"type",params:{type: schema159.properties.mentions.type}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(func4(data0) > 200){
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/maxLength",keyword:"maxLength",params:{limit: 200}}];
return false;
}
else {
if(func4(data0) < 1){
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
if(errors === _errs2){
if(Array.isArray(data0)){
if(data0.length > 200){
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/maxItems",keyword:"maxItems",params:{limit: 200}}];
return false;
}
else {
if(data0.length < 1){
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) > 200){
validate91.errors = [{instancePath:instancePath+"/mentions/" + i0,schemaPath:"#/properties/mentions/items/maxLength",keyword:"maxLength",params:{limit: 200}}];
return false;
}
else {
if(func4(data1) < 1){
validate91.errors = [{instancePath:instancePath+"/mentions/" + i0,schemaPath:"#/properties/mentions/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/mentions/" + i0,schemaPath:"#/properties/mentions/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data0.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data0[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate91.errors = [{instancePath:instancePath+"/mentions",schemaPath:"#/properties/mentions/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.matches !== undefined){
let data2 = data.matches;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(func4(data2) > 500){
validate91.errors = [{instancePath:instancePath+"/matches",schemaPath:"#/properties/matches/maxLength",keyword:"maxLength",params:{limit: 500}}];
return false;
}
else {
if(func4(data2) < 1){
validate91.errors = [{instancePath:instancePath+"/matches",schemaPath:"#/properties/matches/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats88.validate(data2))){
validate91.errors = [{instancePath:instancePath+"/matches",schemaPath:"#/properties/matches/format",keyword:"format",params:{format: "x-pattern"}}];
return false;
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/matches",schemaPath:"#/properties/matches/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.input_tokens !== undefined){
let data3 = data.input_tokens;
const _errs8 = errors;
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
if(Object.keys(data3).length < 1){
validate91.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/properties/input_tokens/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
const _errs10 = errors;
for(const key1 in data3){
if(!((key1 === "over") || (key1 === "under"))){
validate91.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/properties/input_tokens/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs10 === errors){
if(data3.over !== undefined){
let data4 = data3.over;
const _errs11 = errors;
const _errs12 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (typeof data4 !== "string")){
validate91.errors = [{instancePath:instancePath+"/input_tokens/over",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data4)){
validate91.errors = [{instancePath:instancePath+"/input_tokens/over",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs12){
if(typeof data4 === "string"){
if(!pattern8.test(data4)){
validate91.errors = [{instancePath:instancePath+"/input_tokens/over",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid3 = _errs11 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data3.under !== undefined){
let data5 = data3.under;
const _errs14 = errors;
const _errs15 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (typeof data5 !== "string")){
validate91.errors = [{instancePath:instancePath+"/input_tokens/under",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data5)){
validate91.errors = [{instancePath:instancePath+"/input_tokens/under",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs15){
if(typeof data5 === "string"){
if(!pattern8.test(data5)){
validate91.errors = [{instancePath:instancePath+"/input_tokens/under",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid3 = _errs14 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/input_tokens",schemaPath:"#/properties/input_tokens/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.has_tools !== undefined){
const _errs17 = errors;
if(typeof data.has_tools !== "boolean"){
validate91.errors = [{instancePath:instancePath+"/has_tools",schemaPath:"#/properties/has_tools/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.has_images !== undefined){
const _errs19 = errors;
if(typeof data.has_images !== "boolean"){
validate91.errors = [{instancePath:instancePath+"/has_images",schemaPath:"#/properties/has_images/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plan !== undefined){
const _errs21 = errors;
if(!(validate92(data.plan, {instancePath:instancePath+"/plan",parentData:data,parentDataProperty:"plan",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate92.errors : vErrors.concat(validate92.errors);
errors = vErrors.length;
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.alias !== undefined){
const _errs22 = errors;
if(!(validate94(data.alias, {instancePath:instancePath+"/alias",parentData:data,parentDataProperty:"alias",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate94.errors : vErrors.concat(validate94.errors);
errors = vErrors.length;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.header !== undefined){
let data10 = data.header;
const _errs23 = errors;
if(errors === _errs23){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(Object.keys(data10).length > 10){
validate91.errors = [{instancePath:instancePath+"/header",schemaPath:"#/properties/header/maxProperties",keyword:"maxProperties",params:{limit: 10}}];
return false;
}
else {
if(Object.keys(data10).length < 1){
validate91.errors = [{instancePath:instancePath+"/header",schemaPath:"#/properties/header/minProperties",keyword:"minProperties",params:{limit: 1}}];
return false;
}
else {
for(const key2 in data10){
const _errs25 = errors;
const _errs26 = errors;
if(errors === _errs26){
if(typeof key2 === "string"){
if(!pattern19.test(key2)){
const err0 = {instancePath:instancePath+"/header",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key2};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath:instancePath+"/header",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key2};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid6 = _errs25 === errors;
if(!valid6){
const err2 = {instancePath:instancePath+"/header",schemaPath:"#/properties/header/propertyNames",keyword:"propertyNames",params:{propertyName: key2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate91.errors = vErrors;
return false;
break;
}
}
if(valid6){
for(const key3 in data10){
let data11 = data10[key3];
const _errs29 = errors;
if((typeof data11 !== "string") && (!(Array.isArray(data11)))){
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/header/additionalProperties/type",keyword:"type",params:{type: schema159.properties.header.additionalProperties.type}}];
return false;
}
if(errors === _errs29){
if(typeof data11 === "string"){
if(func4(data11) < 1){
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/header/additionalProperties/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
if(errors === _errs29){
if(Array.isArray(data11)){
if(data11.length < 1){
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/header/additionalProperties/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid9 = true;
const len1 = data11.length;
for(let i2=0; i2<len1; i2++){
let data12 = data11[i2];
const _errs31 = errors;
if(errors === _errs31){
if(typeof data12 === "string"){
if(func4(data12) < 1){
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i2,schemaPath:"#/properties/header/additionalProperties/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i2,schemaPath:"#/properties/header/additionalProperties/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid9 = _errs31 === errors;
if(!valid9){
break;
}
}
if(valid9){
let i3 = data11.length;
let j1;
if(i3 > 1){
const indices1 = {};
for(;i3--;){
let item1 = data11[i3];
if(typeof item1 !== "string"){
continue;
}
if(typeof indices1[item1] == "number"){
j1 = indices1[item1];
validate91.errors = [{instancePath:instancePath+"/header/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/header/additionalProperties/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break;
}
indices1[item1] = i3;
}
}
}
}
}
}
}
var valid8 = _errs29 === errors;
if(!valid8){
break;
}
}
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/header",schemaPath:"#/properties/header/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hour !== undefined){
let data13 = data.hour;
const _errs33 = errors;
if(errors === _errs33){
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
let missing0;
if(((data13.from === undefined) && (missing0 = "from")) || ((data13.to === undefined) && (missing0 = "to"))){
validate91.errors = [{instancePath:instancePath+"/hour",schemaPath:"#/properties/hour/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs35 = errors;
for(const key4 in data13){
if(!(((key4 === "from") || (key4 === "to")) || (key4 === "zone"))){
validate91.errors = [{instancePath:instancePath+"/hour",schemaPath:"#/properties/hour/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}}];
return false;
break;
}
}
if(_errs35 === errors){
if(data13.from !== undefined){
let data14 = data13.from;
const _errs36 = errors;
if(!(((typeof data14 == "number") && (!(data14 % 1) && !isNaN(data14))) && (isFinite(data14)))){
validate91.errors = [{instancePath:instancePath+"/hour/from",schemaPath:"#/properties/hour/properties/from/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs36){
if((typeof data14 == "number") && (isFinite(data14))){
if(data14 > 23 || isNaN(data14)){
validate91.errors = [{instancePath:instancePath+"/hour/from",schemaPath:"#/properties/hour/properties/from/maximum",keyword:"maximum",params:{comparison: "<=", limit: 23}}];
return false;
}
else {
if(data14 < 0 || isNaN(data14)){
validate91.errors = [{instancePath:instancePath+"/hour/from",schemaPath:"#/properties/hour/properties/from/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid11 = _errs36 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data13.to !== undefined){
let data15 = data13.to;
const _errs38 = errors;
if(!(((typeof data15 == "number") && (!(data15 % 1) && !isNaN(data15))) && (isFinite(data15)))){
validate91.errors = [{instancePath:instancePath+"/hour/to",schemaPath:"#/properties/hour/properties/to/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs38){
if((typeof data15 == "number") && (isFinite(data15))){
if(data15 > 24 || isNaN(data15)){
validate91.errors = [{instancePath:instancePath+"/hour/to",schemaPath:"#/properties/hour/properties/to/maximum",keyword:"maximum",params:{comparison: "<=", limit: 24}}];
return false;
}
else {
if(data15 < 1 || isNaN(data15)){
validate91.errors = [{instancePath:instancePath+"/hour/to",schemaPath:"#/properties/hour/properties/to/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid11 = _errs38 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data13.zone !== undefined){
let data16 = data13.zone;
const _errs40 = errors;
const _errs41 = errors;
if(errors === _errs41){
if(errors === _errs41){
if(typeof data16 === "string"){
if(!(formats90.validate(data16))){
validate91.errors = [{instancePath:instancePath+"/hour/zone",schemaPath:"#/$defs/zone/format",keyword:"format",params:{format: "x-zone"}}];
return false;
}
}
else {
validate91.errors = [{instancePath:instancePath+"/hour/zone",schemaPath:"#/$defs/zone/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid11 = _errs40 === errors;
}
else {
var valid11 = true;
}
}
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/hour",schemaPath:"#/properties/hour/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.weekday !== undefined){
let data17 = data.weekday;
const _errs43 = errors;
if(errors === _errs43){
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
let missing1;
if((data17.days === undefined) && (missing1 = "days")){
validate91.errors = [{instancePath:instancePath+"/weekday",schemaPath:"#/properties/weekday/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs45 = errors;
for(const key5 in data17){
if(!((key5 === "days") || (key5 === "zone"))){
validate91.errors = [{instancePath:instancePath+"/weekday",schemaPath:"#/properties/weekday/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5}}];
return false;
break;
}
}
if(_errs45 === errors){
if(data17.days !== undefined){
let data18 = data17.days;
const _errs46 = errors;
if(errors === _errs46){
if(Array.isArray(data18)){
if(data18.length < 1){
validate91.errors = [{instancePath:instancePath+"/weekday/days",schemaPath:"#/properties/weekday/properties/days/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid14 = true;
const len2 = data18.length;
for(let i4=0; i4<len2; i4++){
let data19 = data18[i4];
const _errs48 = errors;
if(!(((((((data19 === "mon") || (data19 === "tue")) || (data19 === "wed")) || (data19 === "thu")) || (data19 === "fri")) || (data19 === "sat")) || (data19 === "sun"))){
validate91.errors = [{instancePath:instancePath+"/weekday/days/" + i4,schemaPath:"#/properties/weekday/properties/days/items/enum",keyword:"enum",params:{allowedValues: schema159.properties.weekday.properties.days.items.enum}}];
return false;
}
var valid14 = _errs48 === errors;
if(!valid14){
break;
}
}
if(valid14){
let i5 = data18.length;
let j2;
if(i5 > 1){
outer0:
for(;i5--;){
for(j2 = i5; j2--;){
if(func0(data18[i5], data18[j2])){
validate91.errors = [{instancePath:instancePath+"/weekday/days",schemaPath:"#/properties/weekday/properties/days/uniqueItems",keyword:"uniqueItems",params:{i: i5, j: j2}}];
return false;
break outer0;
}
}
}
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/weekday/days",schemaPath:"#/properties/weekday/properties/days/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid13 = _errs46 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data17.zone !== undefined){
let data20 = data17.zone;
const _errs49 = errors;
const _errs50 = errors;
if(errors === _errs50){
if(errors === _errs50){
if(typeof data20 === "string"){
if(!(formats90.validate(data20))){
validate91.errors = [{instancePath:instancePath+"/weekday/zone",schemaPath:"#/$defs/zone/format",keyword:"format",params:{format: "x-zone"}}];
return false;
}
}
else {
validate91.errors = [{instancePath:instancePath+"/weekday/zone",schemaPath:"#/$defs/zone/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid13 = _errs49 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/weekday",schemaPath:"#/properties/weekday/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs43 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.any !== undefined){
let data21 = data.any;
const _errs52 = errors;
if(errors === _errs52){
if(Array.isArray(data21)){
if(data21.length < 1){
validate91.errors = [{instancePath:instancePath+"/any",schemaPath:"#/properties/any/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid17 = true;
const len3 = data21.length;
for(let i6=0; i6<len3; i6++){
const _errs54 = errors;
if(!(wrapper0.validate(data21[i6], {instancePath:instancePath+"/any/" + i6,parentData:data21,parentDataProperty:i6,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
var valid17 = _errs54 === errors;
if(!valid17){
break;
}
}
}
}
else {
validate91.errors = [{instancePath:instancePath+"/any",schemaPath:"#/properties/any/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs52 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.not !== undefined){
const _errs55 = errors;
if(!(wrapper0.validate(data.not, {instancePath:instancePath+"/not",parentData:data,parentDataProperty:"not",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
var valid0 = _errs55 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate91.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate91.errors = vErrors;
return errors === 0;
}
validate91.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate90(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate90.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.name === undefined) && (missing0 = "name")) || ((data.when === undefined) && (missing0 = "when"))) || ((data.use === undefined) && (missing0 = "use"))){
validate90.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "name") || (key0 === "when")) || (key0 === "use"))){
validate90.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined){
let data0 = data.name;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate90.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate90.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.when !== undefined){
const _errs5 = errors;
if(!(validate91(data.when, {instancePath:instancePath+"/when",parentData:data,parentDataProperty:"when",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate91.errors : vErrors.concat(validate91.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.use !== undefined){
let data2 = data.use;
const _errs6 = errors;
const _errs7 = errors;
if(errors === _errs7){
if(typeof data2 === "string"){
if(!pattern19.test(data2)){
validate90.errors = [{instancePath:instancePath+"/use",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate90.errors = [{instancePath:instancePath+"/use",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate90.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate90.errors = vErrors;
return errors === 0;
}
validate90.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate89(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate89.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(Array.isArray(data)){
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
const _errs1 = errors;
if(!(validate90(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate90.errors : vErrors.concat(validate90.errors);
errors = vErrors.length;
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
}
else {
validate89.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
validate89.errors = vErrors;
return errors === 0;
}
validate89.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
const schema170 = {"type":"object","propertyNames":{"$ref":"#/$defs/tool_name"},"additionalProperties":{"$ref":"#/$defs/hosted_tool"}};
const schema171 = {"type":"string","pattern":"^(?!all$)[a-z][a-z0-9_]{0,46}$"};
const schema172 = {"type":"object","oneOf":[{"$ref":"#/$defs/mcp_tool"},{"$ref":"#/$defs/http_tool"},{"$ref":"#/$defs/builtin_tool"}]};
const schema173 = {"type":"object","additionalProperties":false,"required":["mcp"],"properties":{"mcp":{"type":"string","format":"x-base-url"},"tool":{"type":"string","minLength":1},"transport":{"enum":["streamable_http","sse"]},"description":{"type":"string","minLength":1},"key":{"$ref":"#/$defs/tool_key"},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}};
const schema174 = {"type":"string","format":"x-secret"};
const schema176 = {"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":100}};
const schema177 = {"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":256,"max":1000000}};
const schema178 = {"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}};
function validate101(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate101.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.mcp === undefined) && (missing0 = "mcp")){
validate101.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema173.properties, key0))){
validate101.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.mcp !== undefined){
let data0 = data.mcp;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats2.validate(data0))){
validate101.errors = [{instancePath:instancePath+"/mcp",schemaPath:"#/properties/mcp/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate101.errors = [{instancePath:instancePath+"/mcp",schemaPath:"#/properties/mcp/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tool !== undefined){
let data1 = data.tool;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) < 1){
validate101.errors = [{instancePath:instancePath+"/tool",schemaPath:"#/properties/tool/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate101.errors = [{instancePath:instancePath+"/tool",schemaPath:"#/properties/tool/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transport !== undefined){
let data2 = data.transport;
const _errs6 = errors;
if(!((data2 === "streamable_http") || (data2 === "sse"))){
validate101.errors = [{instancePath:instancePath+"/transport",schemaPath:"#/properties/transport/enum",keyword:"enum",params:{allowedValues: schema173.properties.transport.enum}}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data3 = data.description;
const _errs7 = errors;
if(errors === _errs7){
if(typeof data3 === "string"){
if(func4(data3) < 1){
validate101.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate101.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.key !== undefined){
let data4 = data.key;
const _errs9 = errors;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats10.validate(data4))){
validate101.errors = [{instancePath:instancePath+"/key",schemaPath:"#/$defs/tool_key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate101.errors = [{instancePath:instancePath+"/key",schemaPath:"#/$defs/tool_key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout !== undefined){
let data5 = data.timeout;
const _errs12 = errors;
const _errs13 = errors;
if(!fitsUnit(schema67["x-unit"], data5)){
validate101.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs13){
if(typeof data5 === "string"){
if(!pattern10.test(data5)){
validate101.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate101.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_calls !== undefined){
let data6 = data.max_calls;
const _errs15 = errors;
const _errs16 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate101.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/type",keyword:"type",params:{type: schema176.type}}];
return false;
}
if(!fitsUnit(schema176["x-unit"], data6)){
validate101.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data6 === "string"){
if(!pattern59.test(data6)){
validate101.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_result !== undefined){
let data7 = data.max_result;
const _errs18 = errors;
const _errs19 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (typeof data7 !== "string")){
validate101.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/type",keyword:"type",params:{type: schema177.type}}];
return false;
}
if(!fitsUnit(schema177["x-unit"], data7)){
validate101.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs19){
if(typeof data7 === "string"){
if(!pattern14.test(data7)){
validate101.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_call !== undefined){
let data8 = data.usd_per_call;
const _errs21 = errors;
const _errs22 = errors;
if((!((typeof data8 == "number") && (isFinite(data8)))) && (typeof data8 !== "string")){
validate101.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/type",keyword:"type",params:{type: schema178.type}}];
return false;
}
if(!fitsUnit(schema178["x-unit"], data8)){
validate101.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs22){
if(typeof data8 === "string"){
if(!pattern34.test(data8)){
validate101.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate101.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate101.errors = vErrors;
return errors === 0;
}
validate101.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema179 = {"type":"object","additionalProperties":false,"required":["http","description","parameters"],"properties":{"http":{"type":"string","format":"x-base-url"},"description":{"type":"string","minLength":1},"parameters":{"type":"object","additionalProperties":{}},"key":{"$ref":"#/$defs/tool_key"},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}};
function validate103(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate103.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.http === undefined) && (missing0 = "http")) || ((data.description === undefined) && (missing0 = "description"))) || ((data.parameters === undefined) && (missing0 = "parameters"))){
validate103.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "http") || (key0 === "description")) || (key0 === "parameters")) || (key0 === "key")) || (key0 === "timeout")) || (key0 === "max_calls")) || (key0 === "max_result")) || (key0 === "usd_per_call"))){
validate103.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.http !== undefined){
let data0 = data.http;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats2.validate(data0))){
validate103.errors = [{instancePath:instancePath+"/http",schemaPath:"#/properties/http/format",keyword:"format",params:{format: "x-base-url"}}];
return false;
}
}
else {
validate103.errors = [{instancePath:instancePath+"/http",schemaPath:"#/properties/http/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data1 = data.description;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data1 === "string"){
if(func4(data1) < 1){
validate103.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate103.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.parameters !== undefined){
let data2 = data.parameters;
const _errs6 = errors;
if(errors === _errs6){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
}
else {
validate103.errors = [{instancePath:instancePath+"/parameters",schemaPath:"#/properties/parameters/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.key !== undefined){
let data3 = data.key;
const _errs9 = errors;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data3 === "string"){
if(!(formats10.validate(data3))){
validate103.errors = [{instancePath:instancePath+"/key",schemaPath:"#/$defs/tool_key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate103.errors = [{instancePath:instancePath+"/key",schemaPath:"#/$defs/tool_key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout !== undefined){
let data4 = data.timeout;
const _errs12 = errors;
const _errs13 = errors;
if(!fitsUnit(schema67["x-unit"], data4)){
validate103.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs13){
if(typeof data4 === "string"){
if(!pattern10.test(data4)){
validate103.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate103.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_calls !== undefined){
let data5 = data.max_calls;
const _errs15 = errors;
const _errs16 = errors;
if((!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))) && (typeof data5 !== "string")){
validate103.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/type",keyword:"type",params:{type: schema176.type}}];
return false;
}
if(!fitsUnit(schema176["x-unit"], data5)){
validate103.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data5 === "string"){
if(!pattern59.test(data5)){
validate103.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_result !== undefined){
let data6 = data.max_result;
const _errs18 = errors;
const _errs19 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate103.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/type",keyword:"type",params:{type: schema177.type}}];
return false;
}
if(!fitsUnit(schema177["x-unit"], data6)){
validate103.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs19){
if(typeof data6 === "string"){
if(!pattern14.test(data6)){
validate103.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_call !== undefined){
let data7 = data.usd_per_call;
const _errs21 = errors;
const _errs22 = errors;
if((!((typeof data7 == "number") && (isFinite(data7)))) && (typeof data7 !== "string")){
validate103.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/type",keyword:"type",params:{type: schema178.type}}];
return false;
}
if(!fitsUnit(schema178["x-unit"], data7)){
validate103.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs22){
if(typeof data7 === "string"){
if(!pattern34.test(data7)){
validate103.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate103.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate103.errors = vErrors;
return errors === 0;
}
validate103.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema185 = {"type":"object","additionalProperties":false,"required":["builtin"],"properties":{"builtin":{"enum":["current_time","calculator"]},"timeout":{"$ref":"#/$defs/tool_timeout"},"max_calls":{"$ref":"#/$defs/max_calls"},"max_result":{"$ref":"#/$defs/max_result"},"usd_per_call":{"$ref":"#/$defs/usd_per_call"}}};
function validate105(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate105.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.builtin === undefined) && (missing0 = "builtin")){
validate105.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "builtin") || (key0 === "timeout")) || (key0 === "max_calls")) || (key0 === "max_result")) || (key0 === "usd_per_call"))){
validate105.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.builtin !== undefined){
let data0 = data.builtin;
const _errs2 = errors;
if(!((data0 === "current_time") || (data0 === "calculator"))){
validate105.errors = [{instancePath:instancePath+"/builtin",schemaPath:"#/properties/builtin/enum",keyword:"enum",params:{allowedValues: schema185.properties.builtin.enum}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.timeout !== undefined){
let data1 = data.timeout;
const _errs3 = errors;
const _errs4 = errors;
if(!fitsUnit(schema67["x-unit"], data1)){
validate105.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern10.test(data1)){
validate105.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate105.errors = [{instancePath:instancePath+"/timeout",schemaPath:"#/$defs/tool_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_calls !== undefined){
let data2 = data.max_calls;
const _errs6 = errors;
const _errs7 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (typeof data2 !== "string")){
validate105.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/type",keyword:"type",params:{type: schema176.type}}];
return false;
}
if(!fitsUnit(schema176["x-unit"], data2)){
validate105.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(!pattern59.test(data2)){
validate105.errors = [{instancePath:instancePath+"/max_calls",schemaPath:"#/$defs/max_calls/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_result !== undefined){
let data3 = data.max_result;
const _errs9 = errors;
const _errs10 = errors;
if((!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))) && (typeof data3 !== "string")){
validate105.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/type",keyword:"type",params:{type: schema177.type}}];
return false;
}
if(!fitsUnit(schema177["x-unit"], data3)){
validate105.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs10){
if(typeof data3 === "string"){
if(!pattern14.test(data3)){
validate105.errors = [{instancePath:instancePath+"/max_result",schemaPath:"#/$defs/max_result/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_call !== undefined){
let data4 = data.usd_per_call;
const _errs12 = errors;
const _errs13 = errors;
if((!((typeof data4 == "number") && (isFinite(data4)))) && (typeof data4 !== "string")){
validate105.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/type",keyword:"type",params:{type: schema178.type}}];
return false;
}
if(!fitsUnit(schema178["x-unit"], data4)){
validate105.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs13){
if(typeof data4 === "string"){
if(!pattern34.test(data4)){
validate105.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/$defs/usd_per_call/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate105.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate105.errors = vErrors;
return errors === 0;
}
validate105.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate100(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate100.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(!(data && typeof data == "object" && !Array.isArray(data))){
validate100.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
const _errs1 = errors;
let valid0 = false;
let passing0 = null;
const _errs2 = errors;
if(!(validate101(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate101.errors : vErrors.concat(validate101.errors);
errors = vErrors.length;
}
var _valid0 = _errs2 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
var props0 = true;
}
const _errs3 = errors;
if(!(validate103(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate103.errors : vErrors.concat(validate103.errors);
errors = vErrors.length;
}
var _valid0 = _errs3 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
if(props0 !== true){
props0 = true;
}
}
const _errs4 = errors;
if(!(validate105(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate105.errors : vErrors.concat(validate105.errors);
errors = vErrors.length;
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
if(props0 !== true){
props0 = true;
}
}
}
}
if(!valid0){
const err0 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
validate100.errors = vErrors;
return false;
}
else {
errors = _errs1;
if(vErrors !== null){
if(_errs1){
vErrors.length = _errs1;
}
else {
vErrors = null;
}
}
}
validate100.errors = vErrors;
evaluated0.props = props0;
return errors === 0;
}
validate100.evaluated = {"dynamicProps":true,"dynamicItems":false};
function validate99(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate99.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern72.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/tool_name/pattern",keyword:"pattern",params:{pattern: "^(?!all$)[a-z][a-z0-9_]{0,46}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/tool_name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate99.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate100(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate99.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate99.errors = vErrors;
return errors === 0;
}
validate99.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
const schema190 = {"type":"array","items":{"$ref":"#/$defs/passthrough_route"}};
const schema191 = {"type":"object","additionalProperties":false,"required":["path","methods","model","meter"],"properties":{"path":{"type":"string","pattern":"^/v1(/[a-z0-9][a-z0-9_-]*)+$","maxLength":128},"methods":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["POST","GET"]}},"model":{"$ref":"#/$defs/name"},"accepts":{"type":"array","minItems":1,"uniqueItems":true,"items":{"enum":["json","multipart","binary"]}},"max_body":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":1000000000}},"upgrade":{"enum":["websocket"]},"max_session":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}},"idle_timeout":{"type":"string","pattern":"^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"duration","min":1000,"max":86400000}},"max_message":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"size","min":1000,"max":16000000}},"meter":{"$ref":"#/$defs/meter"}}};
const pattern156 = new RegExp("^/v1(/[a-z0-9][a-z0-9_-]*)+$", "u");
const schema193 = {"type":"object","additionalProperties":false,"properties":{"usd_per_call":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":1000000000000}},"usd_per_second":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":10000000000}},"max_seconds":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":86400}},"usd_per_mb":{"type":["number","string"],"pattern":"^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"usd","min":0,"max":5000000000}},"max_mb":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":1,"max":1000}},"usage":{"type":"object","additionalProperties":false,"required":["max_input"],"properties":{"max_input":{"$ref":"#/$defs/tokens"},"max_output":{"type":["integer","string"],"pattern":"^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$","x-unit":{"kind":"count","min":0,"max":10000000}}}}}};
function validate111(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate111.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "usd_per_call") || (key0 === "usd_per_second")) || (key0 === "max_seconds")) || (key0 === "usd_per_mb")) || (key0 === "max_mb")) || (key0 === "usage"))){
validate111.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.usd_per_call !== undefined){
let data0 = data.usd_per_call;
const _errs2 = errors;
if((!((typeof data0 == "number") && (isFinite(data0)))) && (typeof data0 !== "string")){
validate111.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/properties/usd_per_call/type",keyword:"type",params:{type: schema193.properties.usd_per_call.type}}];
return false;
}
if(!fitsUnit(schema193.properties.usd_per_call["x-unit"], data0)){
validate111.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/properties/usd_per_call/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(!pattern34.test(data0)){
validate111.errors = [{instancePath:instancePath+"/usd_per_call",schemaPath:"#/properties/usd_per_call/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_second !== undefined){
let data1 = data.usd_per_second;
const _errs4 = errors;
if((!((typeof data1 == "number") && (isFinite(data1)))) && (typeof data1 !== "string")){
validate111.errors = [{instancePath:instancePath+"/usd_per_second",schemaPath:"#/properties/usd_per_second/type",keyword:"type",params:{type: schema193.properties.usd_per_second.type}}];
return false;
}
if(!fitsUnit(schema193.properties.usd_per_second["x-unit"], data1)){
validate111.errors = [{instancePath:instancePath+"/usd_per_second",schemaPath:"#/properties/usd_per_second/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(!pattern34.test(data1)){
validate111.errors = [{instancePath:instancePath+"/usd_per_second",schemaPath:"#/properties/usd_per_second/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_seconds !== undefined){
let data2 = data.max_seconds;
const _errs6 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (typeof data2 !== "string")){
validate111.errors = [{instancePath:instancePath+"/max_seconds",schemaPath:"#/properties/max_seconds/type",keyword:"type",params:{type: schema193.properties.max_seconds.type}}];
return false;
}
if(!fitsUnit(schema193.properties.max_seconds["x-unit"], data2)){
validate111.errors = [{instancePath:instancePath+"/max_seconds",schemaPath:"#/properties/max_seconds/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern59.test(data2)){
validate111.errors = [{instancePath:instancePath+"/max_seconds",schemaPath:"#/properties/max_seconds/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usd_per_mb !== undefined){
let data3 = data.usd_per_mb;
const _errs8 = errors;
if((!((typeof data3 == "number") && (isFinite(data3)))) && (typeof data3 !== "string")){
validate111.errors = [{instancePath:instancePath+"/usd_per_mb",schemaPath:"#/properties/usd_per_mb/type",keyword:"type",params:{type: schema193.properties.usd_per_mb.type}}];
return false;
}
if(!fitsUnit(schema193.properties.usd_per_mb["x-unit"], data3)){
validate111.errors = [{instancePath:instancePath+"/usd_per_mb",schemaPath:"#/properties/usd_per_mb/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern34.test(data3)){
validate111.errors = [{instancePath:instancePath+"/usd_per_mb",schemaPath:"#/properties/usd_per_mb/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]{1,9})?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_mb !== undefined){
let data4 = data.max_mb;
const _errs10 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (typeof data4 !== "string")){
validate111.errors = [{instancePath:instancePath+"/max_mb",schemaPath:"#/properties/max_mb/type",keyword:"type",params:{type: schema193.properties.max_mb.type}}];
return false;
}
if(!fitsUnit(schema193.properties.max_mb["x-unit"], data4)){
validate111.errors = [{instancePath:instancePath+"/max_mb",schemaPath:"#/properties/max_mb/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs10){
if(typeof data4 === "string"){
if(!pattern59.test(data4)){
validate111.errors = [{instancePath:instancePath+"/max_mb",schemaPath:"#/properties/max_mb/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?k?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.usage !== undefined){
let data5 = data.usage;
const _errs12 = errors;
if(errors === _errs12){
if(data5 && typeof data5 == "object" && !Array.isArray(data5)){
let missing0;
if((data5.max_input === undefined) && (missing0 = "max_input")){
validate111.errors = [{instancePath:instancePath+"/usage",schemaPath:"#/properties/usage/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs14 = errors;
for(const key1 in data5){
if(!((key1 === "max_input") || (key1 === "max_output"))){
validate111.errors = [{instancePath:instancePath+"/usage",schemaPath:"#/properties/usage/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs14 === errors){
if(data5.max_input !== undefined){
let data6 = data5.max_input;
const _errs15 = errors;
const _errs16 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate111.errors = [{instancePath:instancePath+"/usage/max_input",schemaPath:"#/$defs/tokens/type",keyword:"type",params:{type: schema104.type}}];
return false;
}
if(!fitsUnit(schema104["x-unit"], data6)){
validate111.errors = [{instancePath:instancePath+"/usage/max_input",schemaPath:"#/$defs/tokens/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data6 === "string"){
if(!pattern8.test(data6)){
validate111.errors = [{instancePath:instancePath+"/usage/max_input",schemaPath:"#/$defs/tokens/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid1 = _errs15 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data5.max_output !== undefined){
let data7 = data5.max_output;
const _errs18 = errors;
if((!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))) && (typeof data7 !== "string")){
validate111.errors = [{instancePath:instancePath+"/usage/max_output",schemaPath:"#/properties/usage/properties/max_output/type",keyword:"type",params:{type: schema193.properties.usage.properties.max_output.type}}];
return false;
}
if(!fitsUnit(schema193.properties.usage.properties.max_output["x-unit"], data7)){
validate111.errors = [{instancePath:instancePath+"/usage/max_output",schemaPath:"#/properties/usage/properties/max_output/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs18){
if(typeof data7 === "string"){
if(!pattern8.test(data7)){
validate111.errors = [{instancePath:instancePath+"/usage/max_output",schemaPath:"#/properties/usage/properties/max_output/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid1 = _errs18 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate111.errors = [{instancePath:instancePath+"/usage",schemaPath:"#/properties/usage/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate111.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate111.errors = vErrors;
return errors === 0;
}
validate111.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate110(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate110.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.path === undefined) && (missing0 = "path")) || ((data.methods === undefined) && (missing0 = "methods"))) || ((data.model === undefined) && (missing0 = "model"))) || ((data.meter === undefined) && (missing0 = "meter"))){
validate110.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema191.properties, key0))){
validate110.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.path !== undefined){
let data0 = data.path;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(func4(data0) > 128){
validate110.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!pattern156.test(data0)){
validate110.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/pattern",keyword:"pattern",params:{pattern: "^/v1(/[a-z0-9][a-z0-9_-]*)+$"}}];
return false;
}
}
}
else {
validate110.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.methods !== undefined){
let data1 = data.methods;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length < 1){
validate110.errors = [{instancePath:instancePath+"/methods",schemaPath:"#/properties/methods/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(!((data2 === "POST") || (data2 === "GET"))){
validate110.errors = [{instancePath:instancePath+"/methods/" + i0,schemaPath:"#/properties/methods/items/enum",keyword:"enum",params:{allowedValues: schema191.properties.methods.items.enum}}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data1.length;
let j0;
if(i1 > 1){
outer0:
for(;i1--;){
for(j0 = i1; j0--;){
if(func0(data1[i1], data1[j0])){
validate110.errors = [{instancePath:instancePath+"/methods",schemaPath:"#/properties/methods/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break outer0;
}
}
}
}
}
}
}
else {
validate110.errors = [{instancePath:instancePath+"/methods",schemaPath:"#/properties/methods/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model !== undefined){
let data3 = data.model;
const _errs7 = errors;
const _errs8 = errors;
if(errors === _errs8){
if(typeof data3 === "string"){
if(!pattern19.test(data3)){
validate110.errors = [{instancePath:instancePath+"/model",schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate110.errors = [{instancePath:instancePath+"/model",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.accepts !== undefined){
let data4 = data.accepts;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
if(data4.length < 1){
validate110.errors = [{instancePath:instancePath+"/accepts",schemaPath:"#/properties/accepts/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len1 = data4.length;
for(let i2=0; i2<len1; i2++){
let data5 = data4[i2];
const _errs12 = errors;
if(!(((data5 === "json") || (data5 === "multipart")) || (data5 === "binary"))){
validate110.errors = [{instancePath:instancePath+"/accepts/" + i2,schemaPath:"#/properties/accepts/items/enum",keyword:"enum",params:{allowedValues: schema191.properties.accepts.items.enum}}];
return false;
}
var valid4 = _errs12 === errors;
if(!valid4){
break;
}
}
if(valid4){
let i3 = data4.length;
let j1;
if(i3 > 1){
outer1:
for(;i3--;){
for(j1 = i3; j1--;){
if(func0(data4[i3], data4[j1])){
validate110.errors = [{instancePath:instancePath+"/accepts",schemaPath:"#/properties/accepts/uniqueItems",keyword:"uniqueItems",params:{i: i3, j: j1}}];
return false;
break outer1;
}
}
}
}
}
}
}
else {
validate110.errors = [{instancePath:instancePath+"/accepts",schemaPath:"#/properties/accepts/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_body !== undefined){
let data6 = data.max_body;
const _errs13 = errors;
if((!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))) && (typeof data6 !== "string")){
validate110.errors = [{instancePath:instancePath+"/max_body",schemaPath:"#/properties/max_body/type",keyword:"type",params:{type: schema191.properties.max_body.type}}];
return false;
}
if(!fitsUnit(schema191.properties.max_body["x-unit"], data6)){
validate110.errors = [{instancePath:instancePath+"/max_body",schemaPath:"#/properties/max_body/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs13){
if(typeof data6 === "string"){
if(!pattern14.test(data6)){
validate110.errors = [{instancePath:instancePath+"/max_body",schemaPath:"#/properties/max_body/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.upgrade !== undefined){
const _errs15 = errors;
if(!(data.upgrade === "websocket")){
validate110.errors = [{instancePath:instancePath+"/upgrade",schemaPath:"#/properties/upgrade/enum",keyword:"enum",params:{allowedValues: schema191.properties.upgrade.enum}}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_session !== undefined){
let data8 = data.max_session;
const _errs16 = errors;
if(!fitsUnit(schema191.properties.max_session["x-unit"], data8)){
validate110.errors = [{instancePath:instancePath+"/max_session",schemaPath:"#/properties/max_session/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs16){
if(typeof data8 === "string"){
if(!pattern10.test(data8)){
validate110.errors = [{instancePath:instancePath+"/max_session",schemaPath:"#/properties/max_session/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate110.errors = [{instancePath:instancePath+"/max_session",schemaPath:"#/properties/max_session/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.idle_timeout !== undefined){
let data9 = data.idle_timeout;
const _errs18 = errors;
if(!fitsUnit(schema191.properties.idle_timeout["x-unit"], data9)){
validate110.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/properties/idle_timeout/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs18){
if(typeof data9 === "string"){
if(!pattern10.test(data9)){
validate110.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/properties/idle_timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate110.errors = [{instancePath:instancePath+"/idle_timeout",schemaPath:"#/properties/idle_timeout/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.max_message !== undefined){
let data10 = data.max_message;
const _errs20 = errors;
if((!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))) && (typeof data10 !== "string")){
validate110.errors = [{instancePath:instancePath+"/max_message",schemaPath:"#/properties/max_message/type",keyword:"type",params:{type: schema191.properties.max_message.type}}];
return false;
}
if(!fitsUnit(schema191.properties.max_message["x-unit"], data10)){
validate110.errors = [{instancePath:instancePath+"/max_message",schemaPath:"#/properties/max_message/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs20){
if(typeof data10 === "string"){
if(!pattern14.test(data10)){
validate110.errors = [{instancePath:instancePath+"/max_message",schemaPath:"#/properties/max_message/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.meter !== undefined){
const _errs22 = errors;
if(!(validate111(data.meter, {instancePath:instancePath+"/meter",parentData:data,parentDataProperty:"meter",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate111.errors : vErrors.concat(validate111.errors);
errors = vErrors.length;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate110.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate110.errors = vErrors;
return errors === 0;
}
validate110.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate109(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate109.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(Array.isArray(data)){
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
const _errs1 = errors;
if(!(validate110(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate110.errors : vErrors.concat(validate110.errors);
errors = vErrors.length;
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
}
else {
validate109.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
validate109.errors = vErrors;
return errors === 0;
}
validate109.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
const formats30 = formats["x-store"];
const formats78 = formats["x-link"];
function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://svc-gateway.dev/schema/config.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.version === undefined) && (missing0 = "version")){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema31.properties, key0))){
validate20.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.version !== undefined){
const _errs2 = errors;
if(1 !== data.version){
validate20.errors = [{instancePath:instancePath+"/version",schemaPath:"#/properties/version/const",keyword:"const",params:{allowedValue: 1}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.brand !== undefined){
let data1 = data.brand;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data1 === "string"){
if(!pattern4.test(data1)){
validate20.errors = [{instancePath:instancePath+"/brand",schemaPath:"#/properties/brand/pattern",keyword:"pattern",params:{pattern: "^[a-z][a-z0-9]{1,15}$"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/brand",schemaPath:"#/properties/brand/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.server !== undefined){
const _errs5 = errors;
if(!(validate21(data.server, {instancePath:instancePath+"/server",parentData:data,parentDataProperty:"server",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate21.errors : vErrors.concat(validate21.errors);
errors = vErrors.length;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.store !== undefined){
let data3 = data.store;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data3 === "string"){
if(!(formats30.validate(data3))){
validate20.errors = [{instancePath:instancePath+"/store",schemaPath:"#/properties/store/format",keyword:"format",params:{format: "x-store"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/store",schemaPath:"#/properties/store/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.redis !== undefined){
let data4 = data.redis;
const _errs8 = errors;
const _errs9 = errors;
if(errors === _errs9){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
const _errs11 = errors;
for(const key1 in data4){
if(!(((((key1 === "password") || (key1 === "sentinel_password")) || (key1 === "ca")) || (key1 === "certificate")) || (key1 === "key"))){
validate20.errors = [{instancePath:instancePath+"/redis",schemaPath:"#/$defs/redis/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs11 === errors){
if(data4.password !== undefined){
let data5 = data4.password;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(!(formats10.validate(data5))){
validate20.errors = [{instancePath:instancePath+"/redis/password",schemaPath:"#/$defs/redis/properties/password/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis/password",schemaPath:"#/$defs/redis/properties/password/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs12 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.sentinel_password !== undefined){
let data6 = data4.sentinel_password;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data6 === "string"){
if(!(formats10.validate(data6))){
validate20.errors = [{instancePath:instancePath+"/redis/sentinel_password",schemaPath:"#/$defs/redis/properties/sentinel_password/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis/sentinel_password",schemaPath:"#/$defs/redis/properties/sentinel_password/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs14 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.ca !== undefined){
let data7 = data4.ca;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data7 === "string"){
if(!(formats10.validate(data7))){
validate20.errors = [{instancePath:instancePath+"/redis/ca",schemaPath:"#/$defs/redis/properties/ca/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis/ca",schemaPath:"#/$defs/redis/properties/ca/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs16 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.certificate !== undefined){
let data8 = data4.certificate;
const _errs18 = errors;
if(errors === _errs18){
if(errors === _errs18){
if(typeof data8 === "string"){
if(!(formats10.validate(data8))){
validate20.errors = [{instancePath:instancePath+"/redis/certificate",schemaPath:"#/$defs/redis/properties/certificate/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis/certificate",schemaPath:"#/$defs/redis/properties/certificate/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs18 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data4.key !== undefined){
let data9 = data4.key;
const _errs20 = errors;
if(errors === _errs20){
if(errors === _errs20){
if(typeof data9 === "string"){
if(!(formats10.validate(data9))){
validate20.errors = [{instancePath:instancePath+"/redis/key",schemaPath:"#/$defs/redis/properties/key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis/key",schemaPath:"#/$defs/redis/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs20 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/redis",schemaPath:"#/$defs/redis/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ledger !== undefined){
const _errs22 = errors;
if(!(validate23(data.ledger, {instancePath:instancePath+"/ledger",parentData:data,parentDataProperty:"ledger",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs22 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.decisions !== undefined){
const _errs23 = errors;
if(!(validate25(data.decisions, {instancePath:instancePath+"/decisions",parentData:data,parentDataProperty:"decisions",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
errors = vErrors.length;
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.log !== undefined){
let data12 = data.log;
const _errs24 = errors;
const _errs25 = errors;
if(errors === _errs25){
if(data12 && typeof data12 == "object" && !Array.isArray(data12)){
const _errs27 = errors;
for(const key2 in data12){
if(!((key2 === "format") || (key2 === "level"))){
validate20.errors = [{instancePath:instancePath+"/log",schemaPath:"#/$defs/log/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs27 === errors){
if(data12.format !== undefined){
let data13 = data12.format;
const _errs28 = errors;
if(!((data13 === "text") || (data13 === "json"))){
validate20.errors = [{instancePath:instancePath+"/log/format",schemaPath:"#/$defs/log/properties/format/enum",keyword:"enum",params:{allowedValues: schema40.properties.format.enum}}];
return false;
}
var valid4 = _errs28 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data12.level !== undefined){
let data14 = data12.level;
const _errs29 = errors;
if(!(((data14 === "info") || (data14 === "warn")) || (data14 === "error"))){
validate20.errors = [{instancePath:instancePath+"/log/level",schemaPath:"#/$defs/log/properties/level/enum",keyword:"enum",params:{allowedValues: schema40.properties.level.enum}}];
return false;
}
var valid4 = _errs29 === errors;
}
else {
var valid4 = true;
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/log",schemaPath:"#/$defs/log/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.metrics !== undefined){
const _errs30 = errors;
if(!(validate27(data.metrics, {instancePath:instancePath+"/metrics",parentData:data,parentDataProperty:"metrics",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate27.errors : vErrors.concat(validate27.errors);
errors = vErrors.length;
}
var valid0 = _errs30 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.traces !== undefined){
const _errs31 = errors;
if(!(validate33(data.traces, {instancePath:instancePath+"/traces",parentData:data,parentDataProperty:"traces",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate33.errors : vErrors.concat(validate33.errors);
errors = vErrors.length;
}
var valid0 = _errs31 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identity !== undefined){
const _errs32 = errors;
if(!(validate36(data.identity, {instancePath:instancePath+"/identity",parentData:data,parentDataProperty:"identity",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate36.errors : vErrors.concat(validate36.errors);
errors = vErrors.length;
}
var valid0 = _errs32 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.guests !== undefined){
const _errs33 = errors;
if(!(validate44(data.guests, {instancePath:instancePath+"/guests",parentData:data,parentDataProperty:"guests",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate44.errors : vErrors.concat(validate44.errors);
errors = vErrors.length;
}
var valid0 = _errs33 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.responses !== undefined){
let data19 = data.responses;
const _errs34 = errors;
const _errs35 = errors;
if(errors === _errs35){
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
let missing1;
if(((data19.keep === undefined) && (missing1 = "keep")) || ((data19.key === undefined) && (missing1 = "key"))){
validate20.errors = [{instancePath:instancePath+"/responses",schemaPath:"#/$defs/responses/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs37 = errors;
for(const key3 in data19){
if(!(((((key3 === "keep") || (key3 === "key")) || (key3 === "former_key")) || (key3 === "max_bytes_per_account")) || (key3 === "max_responses_per_account"))){
validate20.errors = [{instancePath:instancePath+"/responses",schemaPath:"#/$defs/responses/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3}}];
return false;
break;
}
}
if(_errs37 === errors){
if(data19.keep !== undefined){
let data20 = data19.keep;
const _errs38 = errors;
if(!fitsUnit(schema65.properties.keep["x-unit"], data20)){
validate20.errors = [{instancePath:instancePath+"/responses/keep",schemaPath:"#/$defs/responses/properties/keep/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs38){
if(typeof data20 === "string"){
if(!pattern10.test(data20)){
validate20.errors = [{instancePath:instancePath+"/responses/keep",schemaPath:"#/$defs/responses/properties/keep/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d)|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/responses/keep",schemaPath:"#/$defs/responses/properties/keep/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid6 = _errs38 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data19.key !== undefined){
let data21 = data19.key;
const _errs40 = errors;
if(errors === _errs40){
if(errors === _errs40){
if(typeof data21 === "string"){
if(!(formats10.validate(data21))){
validate20.errors = [{instancePath:instancePath+"/responses/key",schemaPath:"#/$defs/responses/properties/key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/responses/key",schemaPath:"#/$defs/responses/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid6 = _errs40 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data19.former_key !== undefined){
let data22 = data19.former_key;
const _errs42 = errors;
if(errors === _errs42){
if(errors === _errs42){
if(typeof data22 === "string"){
if(!(formats10.validate(data22))){
validate20.errors = [{instancePath:instancePath+"/responses/former_key",schemaPath:"#/$defs/responses/properties/former_key/format",keyword:"format",params:{format: "x-secret"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/responses/former_key",schemaPath:"#/$defs/responses/properties/former_key/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid6 = _errs42 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data19.max_bytes_per_account !== undefined){
let data23 = data19.max_bytes_per_account;
const _errs44 = errors;
if((!(((typeof data23 == "number") && (!(data23 % 1) && !isNaN(data23))) && (isFinite(data23)))) && (typeof data23 !== "string")){
validate20.errors = [{instancePath:instancePath+"/responses/max_bytes_per_account",schemaPath:"#/$defs/responses/properties/max_bytes_per_account/type",keyword:"type",params:{type: schema65.properties.max_bytes_per_account.type}}];
return false;
}
if(!fitsUnit(schema65.properties.max_bytes_per_account["x-unit"], data23)){
validate20.errors = [{instancePath:instancePath+"/responses/max_bytes_per_account",schemaPath:"#/$defs/responses/properties/max_bytes_per_account/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs44){
if(typeof data23 === "string"){
if(!pattern14.test(data23)){
validate20.errors = [{instancePath:instancePath+"/responses/max_bytes_per_account",schemaPath:"#/$defs/responses/properties/max_bytes_per_account/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?(B|KB|MB|GB)?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid6 = _errs44 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data19.max_responses_per_account !== undefined){
let data24 = data19.max_responses_per_account;
const _errs46 = errors;
if((!(((typeof data24 == "number") && (!(data24 % 1) && !isNaN(data24))) && (isFinite(data24)))) && (typeof data24 !== "string")){
validate20.errors = [{instancePath:instancePath+"/responses/max_responses_per_account",schemaPath:"#/$defs/responses/properties/max_responses_per_account/type",keyword:"type",params:{type: schema65.properties.max_responses_per_account.type}}];
return false;
}
if(!fitsUnit(schema65.properties.max_responses_per_account["x-unit"], data24)){
validate20.errors = [{instancePath:instancePath+"/responses/max_responses_per_account",schemaPath:"#/$defs/responses/properties/max_responses_per_account/x-unit",keyword:"x-unit",params:{}}];
return false;
}
if(errors === _errs46){
if(typeof data24 === "string"){
if(!pattern8.test(data24)){
validate20.errors = [{instancePath:instancePath+"/responses/max_responses_per_account",schemaPath:"#/$defs/responses/properties/max_responses_per_account/pattern",keyword:"pattern",params:{pattern: "^([0-9]+(\\.[0-9]+)?[kM]?|.*\\$\\{.+\\}.*)$"}}];
return false;
}
}
}
var valid6 = _errs46 === errors;
}
else {
var valid6 = true;
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/responses",schemaPath:"#/$defs/responses/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs34 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.failover !== undefined){
const _errs48 = errors;
if(!(validate46(data.failover, {instancePath:instancePath+"/failover",parentData:data,parentDataProperty:"failover",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate46.errors : vErrors.concat(validate46.errors);
errors = vErrors.length;
}
var valid0 = _errs48 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limits !== undefined){
const _errs49 = errors;
if(!(validate50(data.limits, {instancePath:instancePath+"/limits",parentData:data,parentDataProperty:"limits",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate50.errors : vErrors.concat(validate50.errors);
errors = vErrors.length;
}
var valid0 = _errs49 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.errors !== undefined){
let data27 = data.errors;
const _errs50 = errors;
const _errs51 = errors;
if(errors === _errs51){
if(data27 && typeof data27 == "object" && !Array.isArray(data27)){
const _errs53 = errors;
for(const key4 in data27){
if(!(((key4 === "form") || (key4 === "docs")) || (key4 === "topup"))){
validate20.errors = [{instancePath:instancePath+"/errors",schemaPath:"#/$defs/errors/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4}}];
return false;
break;
}
}
if(_errs53 === errors){
if(data27.form !== undefined){
let data28 = data27.form;
const _errs54 = errors;
if(!(((data28 === "auto") || (data28 === "spec")) || (data28 === "openai"))){
validate20.errors = [{instancePath:instancePath+"/errors/form",schemaPath:"#/$defs/errors/properties/form/enum",keyword:"enum",params:{allowedValues: schema86.properties.form.enum}}];
return false;
}
var valid8 = _errs54 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data27.docs !== undefined){
let data29 = data27.docs;
const _errs55 = errors;
if(errors === _errs55){
if(errors === _errs55){
if(typeof data29 === "string"){
if(!(formats78.validate(data29))){
validate20.errors = [{instancePath:instancePath+"/errors/docs",schemaPath:"#/$defs/errors/properties/docs/format",keyword:"format",params:{format: "x-link"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/errors/docs",schemaPath:"#/$defs/errors/properties/docs/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid8 = _errs55 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data27.topup !== undefined){
let data30 = data27.topup;
const _errs57 = errors;
if(errors === _errs57){
if(errors === _errs57){
if(typeof data30 === "string"){
if(!(formats78.validate(data30))){
validate20.errors = [{instancePath:instancePath+"/errors/topup",schemaPath:"#/$defs/errors/properties/topup/format",keyword:"format",params:{format: "x-link"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/errors/topup",schemaPath:"#/$defs/errors/properties/topup/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid8 = _errs57 === errors;
}
else {
var valid8 = true;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/errors",schemaPath:"#/$defs/errors/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs50 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.include !== undefined){
let data31 = data.include;
const _errs59 = errors;
if(errors === _errs59){
if(Array.isArray(data31)){
var valid9 = true;
const len0 = data31.length;
for(let i0=0; i0<len0; i0++){
let data32 = data31[i0];
const _errs61 = errors;
if(errors === _errs61){
if(typeof data32 === "string"){
if(func4(data32) < 1){
validate20.errors = [{instancePath:instancePath+"/include/" + i0,schemaPath:"#/properties/include/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/include/" + i0,schemaPath:"#/properties/include/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid9 = _errs61 === errors;
if(!valid9){
break;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/include",schemaPath:"#/properties/include/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs59 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.plans !== undefined){
const _errs63 = errors;
if(!(validate52(data.plans, {instancePath:instancePath+"/plans",parentData:data,parentDataProperty:"plans",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
errors = vErrors.length;
}
var valid0 = _errs63 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.models !== undefined){
const _errs64 = errors;
if(!(validate57(data.models, {instancePath:instancePath+"/models",parentData:data,parentDataProperty:"models",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate57.errors : vErrors.concat(validate57.errors);
errors = vErrors.length;
}
var valid0 = _errs64 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.aliases !== undefined){
const _errs65 = errors;
if(!(validate81(data.aliases, {instancePath:instancePath+"/aliases",parentData:data,parentDataProperty:"aliases",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate81.errors : vErrors.concat(validate81.errors);
errors = vErrors.length;
}
var valid0 = _errs65 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.default_model !== undefined){
let data36 = data.default_model;
const _errs66 = errors;
const _errs67 = errors;
if(errors === _errs67){
if(typeof data36 === "string"){
if(func4(data36) > 128){
validate20.errors = [{instancePath:instancePath+"/default_model",schemaPath:"#/$defs/default_model/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!pattern107.test(data36)){
validate20.errors = [{instancePath:instancePath+"/default_model",schemaPath:"#/$defs/default_model/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._/:\\[\\]-]*$"}}];
return false;
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/default_model",schemaPath:"#/$defs/default_model/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs66 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pools !== undefined){
const _errs69 = errors;
if(!(validate83(data.pools, {instancePath:instancePath+"/pools",parentData:data,parentDataProperty:"pools",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate83.errors : vErrors.concat(validate83.errors);
errors = vErrors.length;
}
var valid0 = _errs69 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.routes !== undefined){
const _errs70 = errors;
if(!(validate89(data.routes, {instancePath:instancePath+"/routes",parentData:data,parentDataProperty:"routes",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate89.errors : vErrors.concat(validate89.errors);
errors = vErrors.length;
}
var valid0 = _errs70 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hosted_tools !== undefined){
const _errs71 = errors;
if(!(validate99(data.hosted_tools, {instancePath:instancePath+"/hosted_tools",parentData:data,parentDataProperty:"hosted_tools",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate99.errors : vErrors.concat(validate99.errors);
errors = vErrors.length;
}
var valid0 = _errs71 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.passthrough !== undefined){
const _errs72 = errors;
if(!(validate109(data.passthrough, {instancePath:instancePath+"/passthrough",parentData:data,parentDataProperty:"passthrough",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate109.errors : vErrors.concat(validate109.errors);
errors = vErrors.length;
}
var valid0 = _errs72 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
exports.acceptsPolicy = validate115;
const schema195 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://svc-gateway.dev/schema/policy.schema.json","type":"object","additionalProperties":false,"properties":{"plans":{"$ref":"config.schema.json#/$defs/plans"},"models":{"$ref":"config.schema.json#/$defs/models"},"aliases":{"$ref":"config.schema.json#/$defs/aliases"},"default_model":{"$ref":"config.schema.json#/$defs/default_model"},"pools":{"$ref":"config.schema.json#/$defs/pools"},"routes":{"$ref":"config.schema.json#/$defs/routes"},"hosted_tools":{"$ref":"config.schema.json#/$defs/hosted_tools"},"passthrough":{"$ref":"config.schema.json#/$defs/passthrough"}}};
function validate116(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate116.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate116.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate53(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate116.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate116.errors = vErrors;
return errors === 0;
}
validate116.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate119(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate119.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate119.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate58(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate58.errors : vErrors.concat(validate58.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate119.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate119.errors = vErrors;
return errors === 0;
}
validate119.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate122(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate122.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(func4(key0) > 128){
const err0 = {instancePath,schemaPath:"#/$defs/alias_name/maxLength",keyword:"maxLength",params:{limit: 128},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
if(!pattern105.test(key0)){
const err1 = {instancePath,schemaPath:"#/$defs/alias_name/pattern",keyword:"pattern",params:{pattern: "^(?=[A-Za-z0-9*])[A-Za-z0-9._/:\\[\\]-]*\\*?[A-Za-z0-9._/:\\[\\]-]*$"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
else {
const err2 = {instancePath,schemaPath:"#/$defs/alias_name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err3 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate122.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
let data0 = data[key1];
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data0 === "string"){
if(!pattern19.test(data0)){
validate122.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}}];
return false;
}
}
else {
validate122.errors = [{instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate122.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate122.errors = vErrors;
return errors === 0;
}
validate122.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate124(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate124.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern19.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate124.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate84(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate84.errors : vErrors.concat(validate84.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate124.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate124.errors = vErrors;
return errors === 0;
}
validate124.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate127(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate127.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(Array.isArray(data)){
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
const _errs1 = errors;
if(!(validate90(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate90.errors : vErrors.concat(validate90.errors);
errors = vErrors.length;
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
}
else {
validate127.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
validate127.errors = vErrors;
return errors === 0;
}
validate127.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
function validate130(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate130.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const _errs1 = errors;
const _errs2 = errors;
if(errors === _errs2){
if(typeof key0 === "string"){
if(!pattern72.test(key0)){
const err0 = {instancePath,schemaPath:"#/$defs/tool_name/pattern",keyword:"pattern",params:{pattern: "^(?!all$)[a-z][a-z0-9_]{0,46}$"},propertyName:key0};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/$defs/tool_name/type",keyword:"type",params:{type: "string"},propertyName:key0};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid0 = _errs1 === errors;
if(!valid0){
const err2 = {instancePath,schemaPath:"#/propertyNames",keyword:"propertyNames",params:{propertyName: key0}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate130.errors = vErrors;
return false;
break;
}
}
if(valid0){
for(const key1 in data){
const _errs5 = errors;
if(!(validate100(data[key1], {instancePath:instancePath+"/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),parentData:data,parentDataProperty:key1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate100.errors : vErrors.concat(validate100.errors);
errors = vErrors.length;
}
var valid2 = _errs5 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate130.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate130.errors = vErrors;
return errors === 0;
}
validate130.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
function validate133(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate133.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(Array.isArray(data)){
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
const _errs1 = errors;
if(!(validate110(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate110.errors : vErrors.concat(validate110.errors);
errors = vErrors.length;
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
}
else {
validate133.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
validate133.errors = vErrors;
return errors === 0;
}
validate133.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};
function validate115(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="https://svc-gateway.dev/schema/policy.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate115.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "plans") || (key0 === "models")) || (key0 === "aliases")) || (key0 === "default_model")) || (key0 === "pools")) || (key0 === "routes")) || (key0 === "hosted_tools")) || (key0 === "passthrough"))){
validate115.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.plans !== undefined){
const _errs2 = errors;
if(!(validate116(data.plans, {instancePath:instancePath+"/plans",parentData:data,parentDataProperty:"plans",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate116.errors : vErrors.concat(validate116.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.models !== undefined){
const _errs3 = errors;
if(!(validate119(data.models, {instancePath:instancePath+"/models",parentData:data,parentDataProperty:"models",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.aliases !== undefined){
const _errs4 = errors;
if(!(validate122(data.aliases, {instancePath:instancePath+"/aliases",parentData:data,parentDataProperty:"aliases",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate122.errors : vErrors.concat(validate122.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.default_model !== undefined){
let data3 = data.default_model;
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data3 === "string"){
if(func4(data3) > 128){
validate115.errors = [{instancePath:instancePath+"/default_model",schemaPath:"config.schema.json#/$defs/default_model/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!pattern107.test(data3)){
validate115.errors = [{instancePath:instancePath+"/default_model",schemaPath:"config.schema.json#/$defs/default_model/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9][A-Za-z0-9._/:\\[\\]-]*$"}}];
return false;
}
}
}
else {
validate115.errors = [{instancePath:instancePath+"/default_model",schemaPath:"config.schema.json#/$defs/default_model/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pools !== undefined){
const _errs8 = errors;
if(!(validate124(data.pools, {instancePath:instancePath+"/pools",parentData:data,parentDataProperty:"pools",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate124.errors : vErrors.concat(validate124.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.routes !== undefined){
const _errs9 = errors;
if(!(validate127(data.routes, {instancePath:instancePath+"/routes",parentData:data,parentDataProperty:"routes",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate127.errors : vErrors.concat(validate127.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.hosted_tools !== undefined){
const _errs10 = errors;
if(!(validate130(data.hosted_tools, {instancePath:instancePath+"/hosted_tools",parentData:data,parentDataProperty:"hosted_tools",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate130.errors : vErrors.concat(validate130.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.passthrough !== undefined){
const _errs11 = errors;
if(!(validate133(data.passthrough, {instancePath:instancePath+"/passthrough",parentData:data,parentDataProperty:"passthrough",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate133.errors : vErrors.concat(validate133.errors);
errors = vErrors.length;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate115.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate115.errors = vErrors;
return errors === 0;
}
validate115.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

return exports
}
