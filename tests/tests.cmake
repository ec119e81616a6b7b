# SPDX-License-Identifier: MIT

# The tests, by folder. A name is that of a file: unit/test_x.c is the group unit.test_x.
#
#   knack_tests(folder [NEEDS target...] GROUPS name...)   <folder>/<name>.c: groups of the folder's
#       program, left out unless all targets exist. CMakeLists.txt says what each program links.
#   knack_determinism_test(x)   determinism/x.c, a plain program: exit code 0 is a pass, no cmocka,
#       since it is also cross-built
#   knack_one_file_test(x)      determinism/golden.c with what scripts/amalgamate writes

# These take long. They start first, and never run under valgrind, which is thirty times as slow.
set(KNACK_LONG_TESTS changes projections sync
    net.soak order.order_spec_bad_input scenario.data_memory scenario.data_round_trip
    scenario.debug_json unit.test_save_read unit.test_state_fields)

knack_tests(unit
    GROUPS test_ability_body test_base test_call_tables test_compiler test_cue_player test_def
        test_dump test_element test_expression test_extension test_grid test_hash test_heap
        test_history test_json test_kind test_listener test_lists test_log test_motion test_pool
        test_random test_rule_timer test_save_read test_slots test_space test_state_fields
        test_state_tables test_tag test_tag_query test_tag_set test_target_data test_targeting
        test_text test_tools test_validate test_validate_spoilt test_wheel)
knack_tests(unit NEEDS knack_data
    GROUPS test_csv test_data_schema test_document test_emit test_report test_scalar
        test_scenario_schema)
knack_tests(unit NEEDS knack_script
    GROUPS test_script_library test_script_results test_script_sandbox)

knack_tests(scenario
    GROUPS abilities ability_activation ability_batches ability_blocks ability_bodies
        ability_charges ability_checks ability_cooldown_starts ability_cooldowns ability_costs
        ability_ends ability_grants ability_inhibition ability_input ability_model
        ability_reasons ability_requests ability_roles ability_tags ability_triggers
        application_order application_paths archetypes attribute_hooks attribute_limits
        attribute_sets attributes captures chances children combat_values commands
        component_hooks component_instances component_references conditional_values conditions
        containers context_targets cues custom_causes custom_events damage_pipeline debug_json
        debug_log debug_page durations dynamic_effects effect_container_patterns effect_parts
        effect_queries effect_reasons effects entities event_facts exclusive_groups executions
        explain expressions fixed_cooldowns forgotten futures grant_parameters heap_views
        hero_kit hero_kit_sample hook_causes hook_kinds hook_law immunity inhibition_crossings
        integers item_attributes late_attributes library_globals live_time magnitudes
        many_effects modifier_combination modifier_tags modifiers observer_paths old_saves
        out_of_memory own_kinds owned_tags periodic plain_chains plain_hits plain_ticks
        prediction_keys prediction_opt_outs projection projection_places random_streams
        reactions reapplication recipe_critical_hits recipe_death recipe_debug
        recipe_interaction recipe_life_steal recipe_pause recipe_slow recipe_sprint recipe_stun
        recipe_ui refresh refusals reload restrictions rule_triggers save_by_name specs
        stack_context stack_rules stack_timers stacking state_records systems tag_edits tally
        targeting targeting_edges task_animation task_custom task_lifetime task_moved task_sync
        task_waits test_hash_world test_recording test_save test_snapshot tickers tolerance
        warm_step watches world_differences)
knack_tests(scenario NEEDS knack_data
    GROUPS data_bodies data_docs data_fields data_files data_kinds data_kits data_lints
        data_memory data_mistakes data_random data_refusals data_reload data_round_trip
        data_tables recording_steps scenario_load scenario_run)
knack_tests(scenario NEEDS knack_script
    GROUPS script_abilities script_commands script_components script_functions script_kinds
        script_rules script_state script_threads script_tickers script_why)
knack_tests(scenario NEEDS knack_data knack_net
    GROUPS scenario_machines)
knack_tests(scenario NEEDS knack_data knack_script
    GROUPS data_script_kinds data_scripts hero_kit_data lookups)

knack_tests(net
    GROUPS bits delta lag_compensation link link_refusals net_sim pack prediction rollback
        rollback_rules session session_abuse session_answers session_checks session_creation
        session_cues session_explain session_players session_recording session_relevance
        session_rules session_sync soak)
if(UNIX)
    knack_tests(net
        GROUPS servers_on_threads)
endif()

knack_tests(udp
    GROUPS udp_address udp_client udp_limits udp_network udp_server udp_session udp_sockets
        udp_vectors)

knack_tests(websocket
    GROUPS websocket_basics websocket_limits websocket_refusals websocket_tls)
knack_tests(websocket NEEDS knack_net
    GROUPS websocket_session)

knack_tests(combat
    GROUPS combat_aura combat_buff_dispels combat_buffs combat_cast combat_cast_rules
        combat_cast_server combat_hit_life combat_hits combat_input combat_log combat_procs
        combat_resource combat_stats combat_threat combat_told combat_use)
knack_tests(combat NEEDS knack_data
    GROUPS combat_buff_data combat_crossings combat_docs)
knack_tests(combat NEEDS knack_net
    GROUPS combat_buff_net combat_cast_net combat_flow_net)
knack_tests(combat NEEDS knack_data knack_script
    GROUPS combat_cast_content combat_flow_content combat_limits combat_lua)

knack_tests(capability
    GROUPS capability_blocks capability_cost capability_hooks capability_input capability_life
        capability_mapper capability_presenter capability_presenter_world capability_sides
        capability_together capability_trace capability_wake)
knack_tests(capability NEEDS knack_data
    GROUPS capability_docs)
knack_tests(capability NEEDS knack_net
    GROUPS capability_input_net capability_messages capability_net capability_presenter_net)
knack_tests(capability NEEDS knack_data knack_script
    GROUPS capability_input_data capability_presenter_data)

knack_tests(order
    GROUPS order_abilities order_auto order_blackboards order_checks order_explain
        order_formations order_memory order_mover order_mover_crowds order_mover_paths
        order_preview order_random order_spec_bad_input order_spec_component order_spec_data
        order_spec_helpers order_spec_literal order_spec_trees order_stop order_tree_explain
        order_trees order_units order_variants order_wakes)
knack_tests(order NEEDS knack_data
    GROUPS order_docs order_gates order_gather order_mover_docs order_produce order_ready
        order_scenario order_site order_tree_docs)
knack_tests(order NEEDS knack_net
    GROUPS order_net order_net_messages)
knack_tests(order NEEDS knack_data knack_script
    GROUPS order_script)

knack_tests(rts
    GROUPS rts_abilities rts_card rts_conserved rts_items rts_items_faults rts_kills rts_levels
        rts_points rts_queries rts_shops rts_tags rts_teams rts_text rts_units rts_vision
        rts_vision_model)
knack_tests(rts NEEDS knack_data
    GROUPS rts_ability_data rts_attack rts_card_docs rts_docs rts_items_docs rts_population
        rts_projectiles rts_team_docs rts_tech rts_tech_docs)
knack_tests(rts NEEDS knack_net
    GROUPS rts_attack_net rts_items_net rts_net rts_team_net)
knack_tests(rts NEEDS knack_data knack_script
    GROUPS rts_attack_script rts_card_script rts_team_script rts_tech_script)

knack_tests(kit
    GROUPS kit_skirmish)
knack_tests(kit NEEDS knack_data
    GROUPS kit_behaviour kit_cast kit_global kit_kept kit_order kit_replica)
knack_tests(kit NEEDS knack_data knack_script
    GROUPS kit_script)

foreach(name changes golden heavy hertz hooks motion observers projections saves space sync)
    knack_determinism_test(${name})
endforeach()
if(KNACK_SCRIPT)
    knack_determinism_test(script_fight LINK knack::script)
endif()
if(TARGET knack_data AND TARGET knack_script)
    knack_determinism_test(observers_data LINK knack::data knack::script)
endif()
knack_one_file_test(one_file)
knack_one_file_test(one_file_plain DEFINE KNI_COMPILER_PLAIN)
