"""Runs jobs by Google's SDK, over plain HTTP on loopback.

URL TOKEN_FILE: where the service listens, and its owner's token.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import sys

import requests
from google.api_core import exceptions
from google.cloud import aiplatform
from google.cloud import aiplatform_v1 as aip
from google.cloud.aiplatform import hyperparameter_tuning as hpt
from google.cloud.aiplatform import jobs
from google.oauth2.credentials import Credentials

PARENT = "projects/a-project/locations/us-central1"
url, token = sys.argv[1], open(sys.argv[2]).read().strip()
jobs._JOB_WAIT_TIME = 1  # seconds between looks; five if left alone


def same(what, got, wanted):
    if got != wanted:
        sys.exit("%s: %r, not %r" % (what, got, wanted))


def refused(what, kind, call, *words):
    try:
        call()
    except kind as why:
        for word in words:
            if word not in str(why):
                sys.exit("%s: no %r in %r" % (what, word, str(why)))
        return
    sys.exit("%s was not refused" % what)


def pool(image, *args, **more):
    return [{"machine_spec": {"machine_type": "n1-standard-4"},
             "replica_count": 1,
             "container_spec": {"image_uri": image, "args": list(args),
                                **more}}]


def tune():
    custom = aiplatform.CustomJob(
        display_name="digits of Google",
        worker_pool_specs=pool("gcr.io/a-project/digits:1", "--epochs=3"))
    job = aiplatform.HyperparameterTuningJob(
        display_name="digits of Google", custom_job=custom,
        metric_spec={"accuracy": "maximize"},
        parameter_spec={
            "learning_rate": hpt.DoubleParameterSpec(0.001, 1.0, "log"),
            "hidden": hpt.IntegerParameterSpec(8, 32, "linear"),
            "batch": hpt.DiscreteParameterSpec([32, 64], "linear"),
            "activation": hpt.CategoricalParameterSpec(["relu", "tanh"])},
        max_trial_count=4, parallel_trial_count=2, search_algorithm="random",
        labels={"team": "vision"})
    job.run()
    same("state", job.state, aip.JobState.JOB_STATE_SUCCEEDED)
    same("trials", len(job.trials), 4)
    for trial in job.trials:
        same("a trial", trial.state, aip.Trial.State.SUCCEEDED)
        same("metric", trial.final_measurement.metrics[0].metric_id,
             "accuracy")
        if not 0 < trial.final_measurement.metrics[0].value <= 1:
            sys.exit("no accuracy: %r" % trial)
        values = {p.parameter_id: p.value for p in trial.parameters}
        same("parameters", sorted(values),
             ["activation", "batch", "hidden", "learning_rate"])
        if values["activation"] not in ("relu", "tanh") or not (
                8 <= values["hidden"] <= 32):
            sys.exit("not asked for: %r" % values)
    same("label", job.labels["team"], "vision")
    if not (job.create_time <= job.start_time <= job.end_time):
        sys.exit("times are out of order")
    return job


def run_a_custom_job():
    job = aiplatform.CustomJob(
        display_name="alone", worker_pool_specs=pool(
            "gcr.io/a-project/tools/env", command=["/bin/sh", "-c"], *[
                'test -z "$CLOUD_ML_TRIAL_ID" && echo "$AIP_MODEL_DIR"']))
    job.run()
    same("a custom job", job.state, aip.JobState.JOB_STATE_SUCCEEDED)
    broken = aiplatform.CustomJob(
        display_name="broken", worker_pool_specs=pool(
            "gcr.io/a-project/tools/sh", command=["./fails.sh"]))
    refused("a job that fails", RuntimeError, broken.run,
            "non-zero status of 3", "no such data")
    return job, broken


def look(client, tuned, alone, broken):
    listed = [j.name for j in client.list_hyperparameter_tuning_jobs(
        parent=PARENT)]
    same("list", listed, [tuned.resource_name])
    same("list by filter", [j.display_name for j in client.list_custom_jobs(
        request={"parent": PARENT, "filter": 'state="JOB_STATE_FAILED"'})],
         ["broken"])
    same("list by pages", [j.display_name for j in client.list_custom_jobs(
        request={"parent": PARENT, "page_size": 1})], ["broken", "alone"])
    masked = list(client.list_custom_jobs(
        request={"parent": PARENT, "read_mask": "name,state"}))
    same("a masked name", masked[0].display_name, "")
    same("a masked state", masked[0].state, aip.JobState.JOB_STATE_FAILED)
    same("label", [j.display_name for j in
                   aiplatform.HyperparameterTuningJob.list(
                       filter="labels.team=vision")], ["digits of Google"])
    refused("a job that is not there", exceptions.NotFound,
            lambda: client.get_custom_job(name=PARENT + "/customJobs/999"))
    refused("a package that nobody knows to run", exceptions.BadRequest,
            lambda: aiplatform.CustomJob(
                display_name="x", worker_pool_specs=[{
                    "machine_spec": {"machine_type": "n1-standard-4"},
                    "replica_count": 1,
                    "python_package_spec": {
                        "executor_image_uri": "none", "package_uris": [],
                        "python_module": "trainer.task"}}]).submit(),
            "none is not in the service's image map")
    refused("a wrong filter", exceptions.BadRequest,
            lambda: list(client.list_custom_jobs(
                request={"parent": PARENT, "filter": "colour=red"})),
            "colour")


def end(client, tuned, alone, broken):
    slow = aiplatform.CustomJob(
        display_name="slow", worker_pool_specs=pool(
            "gcr.io/a-project/tools/sh", "600", command=["sleep"]))
    slow.submit()
    refused("the end of what runs", exceptions.BadRequest,
            lambda: client.delete_custom_job(name=slow.resource_name),
            "cancel it first")
    slow.cancel()
    refused("a cancelled job", RuntimeError, slow._block_until_complete)
    same("cancelled", client.get_custom_job(
        name=slow.resource_name).error.code, 1)
    slow.cancel()
    client.delete_custom_job(name=slow.resource_name).result()
    refused("a deleted job", exceptions.NotFound,
            lambda: client.get_custom_job(name=slow.resource_name))


def read_the_log(alone):
    number = alone.resource_name.rsplit("/", 1)[1]
    answer = requests.post(
        url + "/v2/entries:list", timeout=60,
        headers={"Authorization": "Bearer " + token},
        json={"resourceNames": ["projects/a-project"],
              "filter": 'resource.labels.job_id="%s" AND '
                        'timestamp>="2020-01-01T00:00:00Z"' % number})
    (entry,) = answer.json()["entries"]
    folder = entry["textPayload"]
    if not (folder.startswith(os.environ["HYPERTUNE_STATE"] + "/gcs/a-bucket/")
            and folder.endswith("/model/")):
        sys.exit("no folder of results: %r" % folder)
    same("its task", entry["resource"]["labels"]["task_name"], "workerpool0-0")


aiplatform.init(project="a-project", location="us-central1",
                api_endpoint=url, api_transport="rest",
                credentials=Credentials(token=token),
                staging_bucket="gs://a-bucket")
client = aip.JobServiceClient(transport="rest",
                              client_options={"api_endpoint": url},
                              credentials=Credentials(token=token))
tuned = tune()
alone, broken = run_a_custom_job()
look(client, tuned, alone, broken)
read_the_log(alone)
end(client, tuned, alone, broken)
print("all is well")
