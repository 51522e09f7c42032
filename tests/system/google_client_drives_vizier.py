"""Drives a service by Google's client library.

URL TOKEN_FILE [again]: where the service listens, and its owner's token;
`again` looks at what an earlier run left.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import sys

from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud import aiplatform_v1 as aip
from google.cloud import aiplatform_v1beta1 as beta
from google.oauth2.credentials import Credentials

PARENT = "projects/a-project/locations/us-central1"


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
    except exceptions.GoogleAPICallError as why:
        sys.exit("%s: %r, not %s" % (what, why, kind.__name__))
    sys.exit("%s was not refused" % what)


def spec_of(kind=aip, **more):
    s = kind.StudySpec
    sgd = s.ParameterSpec.ConditionalParameterSpec
    return s(
        metrics=[s.MetricSpec(metric_id="loss",
                              goal=s.MetricSpec.GoalType.MINIMIZE)],
        parameters=[
            s.ParameterSpec(
                parameter_id="lr",
                scale_type=s.ParameterSpec.ScaleType.UNIT_LOG_SCALE,
                double_value_spec=s.ParameterSpec.DoubleValueSpec(
                    min_value=1e-4, max_value=1e-1)),
            s.ParameterSpec(
                parameter_id="depth",
                integer_value_spec=s.ParameterSpec.IntegerValueSpec(
                    min_value=0, max_value=9)),
            s.ParameterSpec(
                parameter_id="batch",
                discrete_value_spec=s.ParameterSpec.DiscreteValueSpec(
                    values=[16, 32, 64])),
            s.ParameterSpec(
                parameter_id="optimizer",
                categorical_value_spec=s.ParameterSpec.CategoricalValueSpec(
                    values=["adam", "sgd"]),
                conditional_parameter_specs=[sgd(
                    parent_categorical_values=sgd.CategoricalValueCondition(
                        values=["sgd"]),
                    parameter_spec=s.ParameterSpec(
                        parameter_id="momentum",
                        double_value_spec=s.ParameterSpec.DoubleValueSpec(
                            min_value=0, max_value=1)))]),
        ], **more)


def create(client, name, spec):
    return client.create_study(
        parent=PARENT, study=aip.Study(display_name=name, study_spec=spec))


def measurement(value, step=0, metric="loss"):
    return aip.Measurement(
        step_count=step,
        metrics=[aip.Measurement.Metric(metric_id=metric, value=value)])


def suggest(client, study, who, count=1):
    operation = client.suggest_trials(aip.SuggestTrialsRequest(
        parent=study, client_id=who, suggestion_count=count))
    response = operation.result(timeout=60)
    same("the client of the metadata", operation.metadata.client_id, who)
    return response


def check_point(trial):
    point = {p.parameter_id: p.value for p in trial.parameters}
    wanted = {"lr", "depth", "batch", "optimizer"}
    if point["optimizer"] == "sgd":
        wanted.add("momentum")
    same("the parameters", set(point), wanted)
    if not 1e-4 <= point["lr"] <= 1e-1 or point["batch"] not in (16, 32, 64):
        sys.exit("a point outside of the space: %r" % point)
    same("a whole number", point["depth"] % 1, 0)


def goes_through_a_study(client):
    states = aip.Trial.State
    study = create(client, "kept study", spec_of())
    same("the display name", study.display_name, "kept study")
    same("the state", study.state, aip.Study.State.ACTIVE)
    same("the spec", study.study_spec, spec_of())
    same("the study", client.get_study(name=study.name), study)
    same("the same study again", create(client, "kept study", spec_of()),
         study)
    same("looking up", client.lookup_study(
        aip.LookupStudyRequest(parent=PARENT, display_name="kept study")),
        study)

    response = suggest(client, study.name, "one", 2)
    same("two trials", [t.id for t in response.trials], ["1", "2"])
    same("the study's state", response.study_state, aip.Study.State.ACTIVE)
    for trial in response.trials:
        same("its state", trial.state, states.ACTIVE)
        same("its client", trial.client_id, "one")
        check_point(trial)
    same("the same two and a third",
         [t.id for t in suggest(client, study.name, "one", 3).trials],
         ["1", "2", "3"])
    same("another client's", [
        t.id for t in suggest(client, study.name, "two").trials], ["4"])
    one, two, three, four = (study.name + "/trials/%d" % n
                             for n in (1, 2, 3, 4))

    for step, value in ((1, 0.5), (2, 0.0), (3, 0.25)):
        measured = client.add_trial_measurement(
            aip.AddTrialMeasurementRequest(
                trial_name=one, measurement=measurement(value, step)))
    same("measurements", [
        (m.step_count, m.metrics[0].value) for m in measured.measurements],
        [(1, 0.5), (2, 0.0), (3, 0.25)])
    refused("a step back", exceptions.BadRequest,
            lambda: client.add_trial_measurement(
                aip.AddTrialMeasurementRequest(
                    trial_name=one, measurement=measurement(1, 2))), "step")

    asked = client.check_trial_early_stopping_state(
        aip.CheckTrialEarlyStoppingStateRequest(trial_name=one))
    same("should it stop", asked.result(timeout=60).should_stop, False)
    same("of which trial", asked.metadata.trial, one)

    done = client.complete_trial(aip.CompleteTrialRequest(name=one))
    same("the last measurement", done.final_measurement.metrics[0].value,
         0.25)
    same("done", done.state, states.SUCCEEDED)
    refused("completing twice", exceptions.BadRequest,
            lambda: client.complete_trial(
                aip.CompleteTrialRequest(name=one)), "ended")
    refused("completing without a measurement", exceptions.BadRequest,
            lambda: client.complete_trial(
                aip.CompleteTrialRequest(name=two)), "loss")
    same("stopped", client.stop_trial(
        aip.StopTrialRequest(name=two)).state, states.STOPPING)
    asked = client.check_trial_early_stopping_state(
        aip.CheckTrialEarlyStoppingStateRequest(trial_name=two))
    same("it should stop", asked.result(timeout=60).should_stop, True)
    same("a stopped one ends", client.complete_trial(
        aip.CompleteTrialRequest(
            name=two, final_measurement=measurement(0.0, 7))).state,
        states.SUCCEEDED)
    bad = client.complete_trial(aip.CompleteTrialRequest(
        name=three, trial_infeasible=True, infeasible_reason="it diverged"))
    same("infeasible", (bad.state, bad.infeasible_reason),
         (states.INFEASIBLE, "it diverged"))

    best = client.list_optimal_trials(
        aip.ListOptimalTrialsRequest(parent=study.name))
    same("the best", [t.id for t in best.optimal_trials], ["2"])

    wanted = {p.parameter_id: p.value for p in done.parameters}
    seed = aip.Trial(parameters=done.parameters)
    same("requested", client.create_trial(
        parent=study.name, trial=seed).state, states.REQUESTED)
    given = suggest(client, study.name, "three").trials[0]
    same("who asks gets it", (given.id, {
        p.parameter_id: p.value for p in given.parameters}), ("5", wanted))
    seed.state = states.SUCCEEDED
    seed.final_measurement = measurement(0.125, 1)
    same("one that had ended", client.create_trial(
        parent=study.name, trial=seed).final_measurement, measurement(0.125, 1))

    pages = list(client.list_trials(
        aip.ListTrialsRequest(parent=study.name, page_size=4)).pages)
    same("pages", [[t.id for t in p.trials] for p in pages],
         [["1", "2", "3", "4"], ["5", "6"]])
    refused("a token of no list", exceptions.BadRequest,
            lambda: list(client.list_trials(aip.ListTrialsRequest(
                parent=study.name, page_token="no token"))), "page_token")
    client.delete_trial(name=four)
    refused("a deleted one", exceptions.NotFound,
            lambda: client.get_trial(name=four), "trials/4")
    return study


def refuses_what_is_wrong(client, study):
    refused("no such study", exceptions.NotFound,
            lambda: client.get_study(name=PARENT + "/studies/99"))
    refused("another project's study", exceptions.NotFound,
            lambda: client.get_study(
                name=study.name.replace("a-project", "another")))
    refused("another spec of that name", exceptions.Conflict,
            lambda: create(client, "kept study", spec_of(
                algorithm=aip.StudySpec.Algorithm.RANDOM_SEARCH)))
    refused("no display name", exceptions.BadRequest,
            lambda: create(client, "", spec_of()), "displayName")
    refused("a grid of real numbers", exceptions.BadRequest,
            lambda: create(client, "grid", spec_of(
                algorithm=aip.StudySpec.Algorithm.GRID_SEARCH)), "lr")
    safe = spec_of()
    safe.metrics[0].safety_config.safety_threshold = 1
    refused("safety", exceptions.BadRequest,
            lambda: create(client, "safe", safe), "safety")
    refused("no client", exceptions.BadRequest,
            lambda: suggest(client, study.name, ""), "client_id")
    refused("no count", exceptions.BadRequest,
            lambda: suggest(client, study.name, "x", 0), "suggestion_count")
    refused("a point outside", exceptions.BadRequest,
            lambda: client.create_trial(parent=study.name, trial=aip.Trial(
                parameters=[aip.Trial.Parameter(
                    parameter_id="lr", value=7)])), "lr")


def stops_by_the_median(client):
    spec = spec_of(median_automated_stopping_spec=(
        aip.StudySpec.MedianAutomatedStoppingSpec()))
    study = create(client, "median", spec)
    for value in (1, 2, 3, 4, 5):
        name = suggest(client, study.name, "w").trials[0].name
        for step in (1, 2):
            client.add_trial_measurement(aip.AddTrialMeasurementRequest(
                trial_name=name, measurement=measurement(value, step)))
        client.complete_trial(aip.CompleteTrialRequest(name=name))
    for value, wanted in ((2.5, False), (3.5, True)):
        name = suggest(client, study.name, "w").trials[0].name
        client.add_trial_measurement(aip.AddTrialMeasurementRequest(
            trial_name=name, measurement=measurement(value, 1)))
        asked = client.check_trial_early_stopping_state(
            aip.CheckTrialEarlyStoppingStateRequest(trial_name=name))
        same("stops at %g" % value, asked.result(timeout=60).should_stop,
             wanted)
        client.complete_trial(aip.CompleteTrialRequest(name=name))


def finds_a_front(client):
    spec = spec_of()
    spec.metrics.append(aip.StudySpec.MetricSpec(
        metric_id="acc", goal=aip.StudySpec.MetricSpec.GoalType.MAXIMIZE))
    study = create(client, "two metrics", spec)
    for loss, acc in ((1, 0.5), (2, 0.9), (3, 0.6), (1, 0.4), (0, 0.0)):
        name = suggest(client, study.name, "w").trials[0].name
        final = measurement(loss)
        final.metrics.append(
            aip.Measurement.Metric(metric_id="acc", value=acc))
        client.complete_trial(aip.CompleteTrialRequest(
            name=name, final_measurement=final))
    best = client.list_optimal_trials(
        aip.ListOptimalTrialsRequest(parent=study.name))
    same("the front", [t.id for t in best.optimal_trials], ["1", "2", "5"])


def ends_a_study(client):
    spec = aip.StudySpec(
        algorithm=aip.StudySpec.Algorithm.GRID_SEARCH,
        metrics=[{"metric_id": "loss", "goal": "MINIMIZE"}],
        parameters=[{"parameter_id": "x", "discrete_value_spec": {
            "values": [1, 2]}}])
    study = create(client, "grid", spec)
    for value in (1.0, 2.0):
        trial = suggest(client, study.name, "w").trials[0]
        same("the grid's point", trial.parameters[0].value, value)
        client.complete_trial(aip.CompleteTrialRequest(
            name=trial.name, final_measurement=measurement(value)))
    response = suggest(client, study.name, "w")
    same("nothing is left", (list(response.trials), response.study_state),
         ([], aip.Study.State.COMPLETED))
    same("the study", client.get_study(name=study.name).state,
         aip.Study.State.COMPLETED)
    client.delete_study(name=study.name)
    refused("a deleted study", exceptions.NotFound,
            lambda: client.get_study(name=study.name))


def lists_studies(client, kept):
    for i in range(3):
        create(client, "listed %d" % i, spec_of())
    pages = list(client.list_studies(
        aip.ListStudiesRequest(parent=PARENT, page_size=2)).pages)
    names = [s.display_name for page in pages for s in page.studies]
    same("studies", names[:3], ["listed 2", "listed 1", "listed 0"])
    same("the oldest", names[-1], kept.display_name)
    same("elsewhere", list(client.list_studies(
        parent="projects/b/locations/us-central1")), [])
    for study in client.list_studies(parent=PARENT):
        if study.display_name.startswith("listed"):
            client.delete_study(name=study.name)


def works_in_beta(url, token, study):
    client = beta.VizierServiceClient(
        transport="rest", credentials=Credentials(token),
        client_options={"api_endpoint": url + "/"})
    operation = client.suggest_trials(beta.SuggestTrialsRequest(
        parent=study.name, client_id="beta", suggestion_count=1))
    trial = operation.result(timeout=60).trials[0]
    same("a beta client", trial.client_id, "beta")
    client.delete_trial(name=trial.name)


def wants_a_token(url, study):
    for credentials in (AnonymousCredentials(), Credentials("a guess")):
        stranger = aip.VizierServiceClient(
            transport="rest", credentials=credentials,
            client_options={"api_endpoint": url})
        # at a 401 the library looks for another token, and has none
        refused("a stranger", GoogleAuthError,
                lambda: stranger.get_study(name=study.name))


def main():
    url, token = sys.argv[1], open(sys.argv[2]).read().strip()
    client = aip.VizierServiceClient(
        transport="rest", credentials=Credentials(token),
        client_options={"api_endpoint": url})
    if sys.argv[3:] == ["again"]:
        study = client.lookup_study(aip.LookupStudyRequest(
            parent=PARENT, display_name="kept study"))
        same("the held trial", [
            t.id for t in suggest(client, study.name, "three").trials], ["5"])
        same("trials", [t.id for t in client.list_trials(parent=study.name)],
             ["1", "2", "3", "5", "6"])
    else:
        study = goes_through_a_study(client)
        refuses_what_is_wrong(client, study)
        stops_by_the_median(client)
        finds_a_front(client)
        ends_a_study(client)
        lists_studies(client, study)
        works_in_beta(url, token, study)
        wants_a_token(url, study)
    print("all is well")


main()
