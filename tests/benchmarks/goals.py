"""What the measured speed is held against: goals, and what other simulators take."""

from __future__ import annotations

GOALS_MS = {
    "test_kth_sp2[easy-]": 3,
    "test_kth_sp2[easy-with_log]": 4.5,
    "test_kth_sp2[just-]": 40,
    "test_kth_sp2_with_predictions[last2]": 10,
    "test_kth_sp2_with_predictions[hierarchy]": 40,
    "test_kth_sp2_with_predictions[survival3]": 40,
    "test_kth_sp2_with_predictions[linear]": 100,
    "test_kth_sp2_fair_starts[easy]": 2000,
    "test_cea_curie[easy]": 45,
    "test_cea_curie[just]": 3000,
    "test_ctc_sp2_conservative": 500,
    "test_plans_of_wagap_on_its_nodes[plan]": 3000,
    "test_2000_trials_a_search_over_hpc2n[random]": 2000,
    "test_2000_trials_a_search_over_hpc2n[tabu]": 2000,
    "test_eet_of_all_jobs_cea_curie": 100,
    "test_all_metrics_cea_curie": 300,
    "test_audit_cea_curie": 590,
    "test_open_cea_curie": 1000,
    "test_sweep_of_balance_factors_and_windows_over_5000_jobs": 5000,
    "test_windows_of_5000_jobs_on_128_processors[8]": 10_000,
    "test_first_answer_about_2000_waiting_jobs": 300,
    "test_200_replays[2000]": 5000,
    "test_200_replays[20000]": 10_000,
    "test_month_of_100_000_jobs[0.85]": 5000,
    "test_month_of_100_000_jobs[0.94]": 10_000,
    **{f"test_conservative_by_nodes[{nodes}]": 150 for nodes in (125, 250, 500, 1000)},
    "test_conservative_by_nodes[2000]": 300,
    "test_conservative_by_nodes[4000]": 600,
    "test_reservations_on_1000_nodes[just]": 150,
    "test_reservations_on_1000_nodes[plan]": 150,
    "test_reservations_on_1000_nodes[easy:depth=5]": 150,
    "test_reservations_on_1000_nodes[plan-search:trials=20]": 150,
    **{f"test_nodes_of_two_kinds_with_gpus[{nodes}-conservative]": 150 for nodes in (125, 1000)},
    "test_nodes_of_two_kinds_with_gpus[4000-conservative]": 600,
    **{f"test_nodes_of_two_kinds_with_gpus[{nodes}-easy]": 9 for nodes in (125, 1000)},
    "test_nodes_of_two_kinds_with_gpus[4000-easy]": 36,
    "test_easy_on_1000_nodes": 60,
    "test_schedule_on_1000_nodes_is_written[csv]": 500,
    "test_schedule_on_1000_nodes_is_written[parquet]": 500,
    "test_second_start_kth_sp2[info]": 500,
    "test_second_start_kth_sp2[compare]": 500,
    "test_import": 250,
    "test_own_code_on_kth_sp2[order]": 2000,
    "test_first_run_of_an_own_order_on_kth_sp2": 2000,
    "test_own_order_on_cea_curie": 20_000,
    "test_episode_of_256_jobs_of_kth_sp2": 10,
    "test_10_000_decisions_of_a_scheduler_in_python": 100,
    "test_cancel_of_a_run_on_cea_curie[easy]": 50,
    "test_cancel_of_a_run_on_cea_curie[fairshare-easy]": 50,
}
"""The most that the fastest round of a benchmark should take, ms, on two ordinary cores."""

GOALS_OF_FIGURES = {
    "first_paint_s": 1.0,
    "longest_gap_ms": 50,
    "zoom_95_%_ms": 16,
    "pan_95_%_ms": 16,
    "memory_at_rest_mib": 667,
    "peak_memory_mib": 700,
    "step_to_gantt_median_ms": 100,
    "key_to_gantt_median_ms": 100,
    "key_to_boxes_median_ms": 100,
    "find_ms": 50,
    "tabs_back_ms": 100,
    "alone_there_ms": 100,
    "solo_there_ms": 100,
}
"""The same of what benchmarks of the window measure besides."""

OTHERS = {
    "easy": {
        "predictsim on PyPy": (0.98, 95),
        "predictsim on CPython": (1.8, 57),
        "CQSim": (5.4, 17),
        "AccaSim": (16.6, 59),
    },
    "just": {"predictsim on PyPy": (1.5, 95), "predictsim on CPython": (7.5, 57)},
}
"""Whole processes of other simulators on KTH-SP2, by policy: seconds and MiB."""
