# mypy: ignore-errors
"""Runs on the guest: one program, its outputs as bytes. Arguments: one JSON object. Prints one JSON object."""

import base64
import json
import os
import subprocess
import sys
import tempfile

asked = json.loads(sys.argv[1])
told = {}
with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
    try:
        environment = {**os.environ, **asked["env"]}
        keywords = {"stdin": subprocess.DEVNULL, "env": environment, "cwd": os.path.expanduser("~"), "start_new_session": True}
        if asked["wait"]:
            child = subprocess.Popen(asked["argv"], stdout=out, stderr=err, **keywords)
            try:
                told["returncode"] = child.wait(asked["timeout"])
            except subprocess.TimeoutExpired:
                told["problem"] = "late"
                if hasattr(os, "killpg"):
                    os.killpg(child.pid, 9)
                else:
                    child.kill()
                child.wait()
        else:
            subprocess.Popen(asked["argv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **keywords)
            told["returncode"] = 0
    except FileNotFoundError:
        told["problem"] = "missing"
    except (OSError, ValueError) as error:
        told["problem"] = str(error)
    for name, file in (("stdout", out), ("stderr", err)):
        if os.fstat(file.fileno()).st_size > asked["limit"]:
            told["problem"] = "long"
        else:
            file.seek(0)
            told[name] = base64.b64encode(file.read()).decode()
if told.get("problem") == "long":
    told["stdout"] = told["stderr"] = ""
print(json.dumps(told))
