# fish completion for reel
function __reel_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (reel complete $words[2..-1] 2>/dev/null)
    set -l word (commandline -ct)
    switch "$answer[1]"
        case documents
            __fish_complete_suffix .reel
        case folders
            __fish_complete_directories $word
        case programs
            __fish_complete_command
        case files
            __fish_complete_path $word
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c reel -f -a '(__reel_complete)'
