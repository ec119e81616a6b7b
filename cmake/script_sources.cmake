# SPDX-License-Identifier: MIT

# The sources of knack::script, sorted.
set(KNACK_SCRIPT_SOURCES
    src/script/api_ability.c
    src/script/api_command.c
    src/script/api_component.c
    src/script/api_data.c
    src/script/api_effect.c
    src/script/api_entity.c
    src/script/api_self.c
    src/script/api_task.c
    src/script/api_world.c
    src/script/args.c
    src/script/bytecode.c
    src/script/fields.c
    src/script/format.c
    src/script/freeze.c
    src/script/hooks.c
    src/script/hooks_ability.c
    src/script/hooks_attribute.c
    src/script/hooks_effect.c
    src/script/hooks_event.c
    src/script/hooks_kind.c
    src/script/lexer.c
    src/script/lint.c
    src/script/lint_names.c
    src/script/loader.c
    src/script/math.c
    src/script/page.c
    src/script/results.c
    src/script/sandbox.c
    src/script/script.c
    src/script/source.c
    src/script/state.c
    src/script/ticker.c
    src/script/vm.c
)
