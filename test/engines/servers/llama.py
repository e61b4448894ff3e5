"""llama.cpp's server with one model: llama.py MODEL PORT chat|embeddings"""
import sys
import threading

import xllamacpp

path, port, kind = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = path
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.model_alias = {"tiny"}
params.n_parallel = 2
params.n_ctx = 4096
params.cpuparams.n_threads = 1
params.use_jinja = True
params.endpoint_metrics = True
params.warmup = False
params.ui = False
if kind == "embeddings":
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    params.n_batch = params.n_ubatch = 2048

server = xllamacpp.Server(params)
print("listening", flush=True)
threading.Event().wait()
