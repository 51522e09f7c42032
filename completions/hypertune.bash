# Completion of hypertune for bash: verbs, options, files and studies.
# SPDX-License-Identifier: GPL-3.0-or-later

_hypertune_studies()
{
    hypertune list --format csv 2>/dev/null | sed 1d | cut -d, -f2
    echo last
}

_hypertune_options()
{
    hypertune help "$1" 2>/dev/null |
        sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z]*\).*/\2/p'
}

_hypertune()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local verb=${COMP_WORDS[1]}

    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "run try best watch list show trials \
            trial logs why export import validate submit pause resume cancel stop \
            retry delete ask tell report courier token serve version help" -- "$word")
        return
    fi
    case $before in
    --format)
        mapfile -t COMPREPLY < <(compgen -W "table json csv yaml" -- "$word")
        return
        ;;
    --only)
        mapfile -t COMPREPLY < <(compgen -W "PENDING LAUNCHING RUNNING \
            STOPPING SUCCEEDED STOPPED INFEASIBLE FAILED" -- "$word")
        return
        ;;
    --role)
        mapfile -t COMPREPLY < <(compgen -W "reader submitter admin" -- "$word")
        return
        ;;
    --ca)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    --state)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_hypertune_options "$verb")" \
            -- "$word")
        return
    fi
    case $verb in
    run | try | submit | validate)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    token)
        [ "$COMP_CWORD" -eq 2 ] &&
            mapfile -t COMPREPLY < <(compgen -W "new list delete" -- "$word")
        ;;
    import)
        if [ "$COMP_CWORD" -eq 2 ]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_hypertune_studies)" \
                -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    best | watch | show | trials | trial | logs | why | export | pause | \
        resume | cancel | stop | retry | delete | ask | tell)
        [ "$COMP_CWORD" -eq 2 ] &&
            mapfile -t COMPREPLY < <(compgen -W "$(_hypertune_studies)" \
                -- "$word")
        ;;
    esac
}

complete -o filenames -F _hypertune hypertune
