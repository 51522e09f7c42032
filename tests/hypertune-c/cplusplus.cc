/* A C++ program includes hypertune.h, links the library and, outside a trial,
 * is told that nothing is to be done. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <hypertune.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

int main()
{
    for (const char *name :
         {"HYPERTUNE_REPORT_FILE", "CLOUD_ML_HP_METRIC_FILE",
          "HYPERTUNE_STOP_FILE", "HYPERTUNE_TRIAL", "CLOUD_ML_TRIAL_ID"})
        unsetenv(name);

    hypertune *h = nullptr;
    if (hypertune_open(&h) != 0 || hypertune_report(h, "loss", 0.5, 1) != 0)
        return EXIT_FAILURE;
    bool quiet = hypertune_should_stop(h) == 0 &&
                 std::strcmp(hypertune_trial_id(h), "") == 0;
    hypertune_close(h);
    return quiet ? EXIT_SUCCESS : EXIT_FAILURE;
}
